/** Opening fences, one alternative each: RE2 has no back-references, so a fence of one length says which length it is. */
const FENCES: readonly (readonly [opening: string, closing: string])[] = [
  ['`{3}', '`{3,}'],
  ['`{4}', '`{4,}'],
  ['`{5}', '`{5,}'],
  ['~{3}', '~{3,}'],
  ['~{4}', '~{4,}'],
]

/**
 * A pattern whose groups are the text of a Markdown block fenced with three to five backticks or three or four tildes and
 * labelled with one of these words, in any case; attributes may follow the label. The text is the lines between the fences
 * without the last line's end. A block without its closing fence is none.
 */
export function fencedBlock(labels: readonly string[]): string {
  const label = `[ \\t]*(?i:${labels.join('|')})(?:[ \\t:,{][^\`\\n]*)?\\r?\\n`
  const blocks = FENCES.map(([opening, closing]) => `${opening}${label}(?:(.*?)\\r?\\n)??[ \\t]*${closing}[ \\t]*\\r?$`)
  return `(?ms)^[ \\t]*(?:${blocks.join('|')})`
}
