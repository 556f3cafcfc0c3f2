/**
 * What a message may hold to be read. A value takes sixty times its bytes once it is parsed, and a parser that runs out of
 * memory inside ends the process and not only its thread: so values are counted before.
 */
export type MessageBounds = { readonly values: number; readonly depth: number }

/** Two million empty objects take some 250 MB for a moment; no call of a person has more, nor 1,300 embeddings. */
const MESSAGE_BOUNDS: MessageBounds = { values: 2_000_000, depth: 10_000 }

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c]
const OPENING: ReadonlySet<number> = new Set([0x7b, 0x5b])
const CLOSING: ReadonlySet<number> = new Set([0x7d, 0x5d])

/** Whether a JSON text is within the bounds; for other bytes it says what a parser would have met before their fault. */
export function isBounded(bytes: Uint8Array, { values, depth }: MessageBounds = MESSAGE_BOUNDS): boolean {
  let counted = 1
  let open = 0
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index] ?? 0
    if (byte === QUOTE) index = endOfString(bytes, index)
    else if (byte === COMMA) counted += 1
    else if (OPENING.has(byte)) {
      counted += 1
      open += 1
    } else if (CLOSING.has(byte)) open -= 1
    if (counted > values || open > depth) return false
  }
  return true
}

/** The closing quote of the string that begins here. */
function endOfString(bytes: Uint8Array, start: number): number {
  for (let index = bytes.indexOf(QUOTE, start + 1); index >= 0; index = bytes.indexOf(QUOTE, index + 1)) {
    let escapes = 0
    while (bytes[index - 1 - escapes] === BACKSLASH) escapes += 1
    if (escapes % 2 === 0) return index
  }
  return bytes.length
}
