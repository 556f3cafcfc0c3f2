/**
 * The bounds of a message that may be parsed. A parsed value takes up to sixty times its bytes, and a JSON parser that
 * runs out of a thread's memory ends the whole process. So values are counted before parsing.
 */
export type MessageBounds = { readonly values: number; readonly depth: number }

/**
 * Two million empty objects take some 250 MB for a moment. No call that a person makes has more values, and an answer
 * with 1,000 embeddings of 1,536 numbers each has fewer.
 */
const MESSAGE_BOUNDS: MessageBounds = { values: 2_000_000, depth: 10_000 }

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c]
const OPENING: ReadonlySet<number> = new Set([0x7b, 0x5b])
const CLOSING: ReadonlySet<number> = new Set([0x7d, 0x5d])

/**
 * Returns whether a JSON text is within the bounds. If the bytes aren't JSON, all values before the fault are counted,
 * since a parser makes these values before it fails.
 */
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

/** Returns the index of the closing quote of the string that begins at `start`. */
function endOfString(bytes: Uint8Array, start: number): number {
  for (let index = bytes.indexOf(QUOTE, start + 1); index >= 0; index = bytes.indexOf(QUOTE, index + 1)) {
    let escapes = 0
    while (bytes[index - 1 - escapes] === BACKSLASH) escapes += 1
    if (escapes % 2 === 0) return index
  }
  return bytes.length
}
