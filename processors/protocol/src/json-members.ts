/** A member of a JSON object: its name and the place of its value's text. */
export type Member = { readonly name: string; readonly start: number; readonly end: number }

const [QUOTE, BACKSLASH, COMMA, COLON, OPENING_BRACE, CLOSING_BRACE] = [0x22, 0x5c, 0x2c, 0x3a, 0x7b, 0x7d]
const [OPENING_BRACKET, CLOSING_BRACKET, SPACE] = [0x5b, 0x5d, 0x20]
/** No record has more members; the limit bounds the memory for a hostile record. */
const MOST_MEMBERS = 10_000

/**
 * Finds the members of the JSON object that begins at `start`, after white space. Values are skipped and never parsed,
 * so the cost depends on their length alone and not on their depth. Undefined when there is no object.
 */
export function jsonMembers(bytes: Uint8Array, start: number): readonly Member[] | undefined {
  const members: Member[] = []
  let at = afterSpace(bytes, start)
  if (bytes[at] !== OPENING_BRACE) return undefined
  at = afterSpace(bytes, at + 1)
  if (bytes[at] === CLOSING_BRACE) return members
  while (members.length < MOST_MEMBERS) {
    const nameEnd = bytes[at] === QUOTE ? endOfString(bytes, at) : undefined
    const name = nameEnd === undefined ? undefined : nameIn(bytes, at, nameEnd)
    const colon = afterSpace(bytes, nameEnd ?? bytes.length)
    if (name === undefined || bytes[colon] !== COLON) return undefined
    const value = afterSpace(bytes, colon + 1)
    const end = endOfValue(bytes, value)
    if (end === undefined) return undefined
    members.push({ name, start: value, end })
    at = afterSpace(bytes, end)
    if (bytes[at] === CLOSING_BRACE) return members
    if (bytes[at] !== COMMA) return undefined
    at = afterSpace(bytes, at + 1)
  }
  return undefined
}

function afterSpace(bytes: Uint8Array, start: number): number {
  let at = start
  while ((bytes[at] ?? 0xff) <= SPACE) at += 1
  return at
}

/** Returns the index after the closing quote. */
function endOfString(bytes: Uint8Array, start: number): number | undefined {
  for (let at = bytes.indexOf(QUOTE, start + 1); at >= 0; at = bytes.indexOf(QUOTE, at + 1)) {
    let escapes = 0
    while (bytes[at - 1 - escapes] === BACKSLASH) escapes += 1
    if (escapes % 2 === 0) return at + 1
  }
  return undefined
}

function endOfValue(bytes: Uint8Array, start: number): number | undefined {
  let depth = 0
  for (let at = start; at < bytes.length; at += 1) {
    const byte = bytes[at]
    if (byte === QUOTE) {
      const end = endOfString(bytes, at)
      if (end === undefined || depth === 0) return end
      at = end - 1
    } else if (byte === OPENING_BRACE || byte === OPENING_BRACKET) depth += 1
    else if (byte === CLOSING_BRACE || byte === CLOSING_BRACKET) {
      // The end of the surrounding object also ends a number or a word.
      if (depth === 0) return at > start ? at : undefined
      depth -= 1
      if (depth === 0) return at + 1
    } else if (depth === 0 && (byte === COMMA || (byte ?? 0) <= SPACE)) return at > start ? at : undefined
  }
  return undefined
}

function nameIn(bytes: Uint8Array, start: number, end: number): string | undefined {
  try {
    return String(JSON.parse(new TextDecoder().decode(bytes.subarray(start, end))))
  } catch {
    return undefined // a string with a malformed escape
  }
}
