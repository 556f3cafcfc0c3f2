/** Where a value stands in a JSON text: `start` is its first byte, `end` the one after its last. */
export type Span = { readonly start: number; readonly end: number }

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const BACKSLASH = 0x5c
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const SPACE = 0x20

/**
 * The values of the members of the object that begins at `at`, without parsing them: any depth, no recursion.
 * Undefined when there is no object there or the text ends inside it; a name that comes twice counts as its last.
 */
export function memberSpans(json: Uint8Array, at: number): ReadonlyMap<string, Span> | undefined {
  let position = skipSpace(json, at)
  if (json[position] !== OPEN_OBJECT) return undefined
  const spans = new Map<string, Span>()
  position = skipSpace(json, position + 1)
  while (json[position] === QUOTE) {
    const nameEnd = skipString(json, position)
    const name = memberName(json.subarray(position, nameEnd))
    const colon = skipSpace(json, nameEnd)
    if (name === undefined || json[colon] !== COLON) return undefined
    const start = skipSpace(json, colon + 1)
    const end = skipValue(json, start)
    spans.set(name, { start, end })
    position = skipSpace(json, end)
    if (json[position] === COMMA) position = skipSpace(json, position + 1)
  }
  return json[position] === CLOSE_OBJECT ? spans : undefined
}

/** As written, escapes not decoded: no name of a record needs one. */
function memberName(quoted: Uint8Array): string | undefined {
  const text = new TextDecoder().decode(quoted)
  return text.length >= 2 && text.endsWith('"') ? text.slice(1, -1) : undefined
}

function skipSpace(json: Uint8Array, at: number): number {
  let position = at
  while (position < json.length && (json[position] ?? 0) <= SPACE) position++
  return position
}

/** The position after the closing quote of the string that begins at `at`. */
function skipString(json: Uint8Array, at: number): number {
  let position = at + 1
  while (position < json.length && json[position] !== QUOTE) position += json[position] === BACKSLASH ? 2 : 1
  return Math.min(position + 1, json.length)
}

function skipValue(json: Uint8Array, at: number): number {
  let depth = 0
  let position = at
  while (position < json.length) {
    const byte = json[position]
    if (byte === QUOTE) {
      position = skipString(json, position)
      if (depth === 0) return position
      continue
    }
    if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) depth++
    else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
      if (depth === 0) return position
      depth--
      if (depth === 0) return position + 1
    } else if (depth === 0 && (byte === COMMA || (byte ?? 0) <= SPACE)) return position
    position++
  }
  return position
}
