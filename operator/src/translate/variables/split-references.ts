/** A piece of a text: plain text, or the NAME of a `${NAME}`. */
export type Piece = { readonly kind: 'text'; readonly text: string } | { readonly kind: 'name'; readonly name: string }

/**
 * Splits a text of a resource at its references. Only `${NAME}` is one; `$NAME`, `$${` and a `${` without a name are
 * text (docs/reference/kubernetes.md#variables).
 */
export function splitReferences(text: string): readonly Piece[] {
  const pieces: Piece[] = []
  let from = 0
  for (let at = text.indexOf(MARK); at !== -1; at = text.indexOf(MARK, at + MARK.length)) {
    const end = endOfName(text, at)
    if (end === undefined) continue
    if (at > from) pieces.push({ kind: 'text', text: text.slice(from, at) })
    pieces.push({ kind: 'name', name: text.slice(at + MARK.length, end) })
    from = end + 1
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

/** More NAMEs than an `env` can define. */
const ENOUGH_NAMES = 65

/**
 * Returns the first 65 NAMEs in the texts of a value, each once: one of them is not in an `env`, which has at most 64
 * entries. The settings of a Processor may have 1.4 MiB of references, and a list of all takes a tenth of a second.
 */
export function distinctNames(value: unknown, names: Set<string> = new Set()): ReadonlySet<string> {
  if (typeof value === 'string') {
    for (let at = value.indexOf(MARK); at !== -1; at = value.indexOf(MARK, at + MARK.length)) {
      if (names.size >= ENOUGH_NAMES) break
      const end = endOfName(value, at)
      if (end !== undefined) names.add(value.slice(at + MARK.length, end))
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const one of Object.values(value)) distinctNames(one, names)
  }
  return names
}

/** Writes every `${` that begins no reference as `$${`. */
export function escapeText(text: string): string {
  let escaped = ''
  let from = 0
  for (let at = text.indexOf(MARK); at !== -1; at = text.indexOf(MARK, at + MARK.length)) {
    if (endOfName(text, at) !== undefined) continue
    escaped += `${text.slice(from, at)}$`
    from = at
  }
  return escaped === '' ? text : escaped + text.slice(from)
}

const MARK = '${'
const DOLLAR = 0x24
const END = 0x7d

/** Returns the end of the NAME of a `${NAME}` at an index; undefined: the mark there is text. */
function endOfName(text: string, at: number): number | undefined {
  if (at > 0 && text.charCodeAt(at - 1) === DOLLAR) return undefined
  const first = at + MARK.length
  let end = first
  while (isWordCode(text.charCodeAt(end), end > first)) end += 1
  return end > first && text.charCodeAt(end) === END ? end : undefined
}

/** Letters and `_`; digits, too, behind the first character. */
function isWordCode(code: number, mayBeDigit: boolean): boolean {
  const letter = code | 0x20
  return (letter >= 0x61 && letter <= 0x7a) || code === 0x5f || (mayBeDigit && code >= 0x30 && code <= 0x39)
}
