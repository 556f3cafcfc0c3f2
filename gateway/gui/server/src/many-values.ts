const [QUOTE, BACKSLASH, COMMA, OPENING_BRACE, OPENING_BRACKET] = [0x22, 0x5c, 0x2c, 0x7b, 0x5b]

/**
 * Returns whether a JSON text has more than `most` values, counted by commas and brackets. The time to parse and write a
 * value depends on their number; a megabyte of brackets takes a hundred times as long as a text of that length.
 */
export function hasManyValues(bytes: Uint8Array, most: number): boolean {
  let values = 0
  let isText = false
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at]
    if (byte === QUOTE) isText = !isText
    else if (isText) at += byte === BACKSLASH ? 1 : 0
    else if (byte === COMMA || byte === OPENING_BRACE || byte === OPENING_BRACKET) values += 1
    if (values > most) return true
  }
  return false
}
