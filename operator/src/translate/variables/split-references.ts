/** A piece of a text: plain text, or the NAME of a `${NAME}`. */
export type Piece = { readonly kind: 'text'; readonly text: string } | { readonly kind: 'name'; readonly name: string }

const REFERENCE = /\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g

/**
 * Splits a text of a resource at its references. Only `${NAME}` is one; `$NAME`, `$${` and a `${` without a name are
 * text (docs/reference/kubernetes.md#variables).
 */
export function splitReferences(text: string): readonly Piece[] {
  const pieces: Piece[] = []
  let from = 0
  for (const { index, 0: match, 1: name } of text.matchAll(REFERENCE)) {
    if (name === undefined) continue
    if (index > from) pieces.push({ kind: 'text', text: text.slice(from, index) })
    pieces.push({ kind: 'name', name })
    from = index + match.length
  }
  if (from < text.length) pieces.push({ kind: 'text', text: text.slice(from) })
  return pieces
}

/** Returns every NAME of a `${NAME}` in the texts of a value. */
export function namesIn(value: unknown): readonly string[] {
  if (typeof value === 'string') {
    return splitReferences(value).flatMap((piece) => (piece.kind === 'name' ? [piece.name] : []))
  }
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(namesIn) : []
}
