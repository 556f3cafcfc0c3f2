/** A value of a configuration file, such as an empty router, takes as long to judge as a text of so many bytes. */
const BYTES_PER_VALUE = 20
const [COMMA, OPENING_BRACE, OPENING_BRACKET] = [0x2c, 0x7b, 0x5b]

/**
 * Returns an upper bound of the work on a text, in bytes of plain text. Commas and brackets in strings count as values,
 * too, since a draft and a request hold a text as a string.
 */
export function textWork(text: Uint8Array): number {
  let values = 0
  for (const byte of text) if (byte === COMMA || byte === OPENING_BRACE || byte === OPENING_BRACKET) values += 1
  return text.length + BYTES_PER_VALUE * values
}
