/** A remark plugin for links.test.ts: `<a id="…">` in a page is a place that links may lead to. */
export default function rowAnchors() {
  return markAnchors
}

/** Writes the id of each anchor of HTML where remark-validate-links looks for ids, in its form: lower case. */
function markAnchors(node) {
  const [, id] = (node.type === 'html' && /^<a id="([^"]+)"/.exec(node.value)) || []
  if (id !== undefined) node.data = { ...node.data, hProperties: { id: id.toLowerCase() } }
  for (const child of node.children ?? []) markAnchors(child)
}
