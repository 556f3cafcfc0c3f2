const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
const SPACE = 0x20

/**
 * Puts a JSON text on one line: inside strings line breaks are escaped, so raw ones are insignificant white space.
 * Copies only where there is a line break.
 */
export function toOneLine(json: Uint8Array): Uint8Array {
  // A Buffer's search takes a tenth of the time of a plain array's.
  const bytes = Buffer.from(json.buffer, json.byteOffset, json.length)
  if (!bytes.includes(LINE_FEED) && !bytes.includes(CARRIAGE_RETURN)) return json
  return json.map((byte) => (byte === LINE_FEED || byte === CARRIAGE_RETURN ? SPACE : byte))
}
