import { endOfString } from './json-members.ts'

/** The most values of a JSON text and their depth; unset: any depth. */
export type JsonBounds = { readonly values: number; readonly depth?: number }

const [QUOTE, COMMA, OPENING_BRACE, CLOSING_BRACE, OPENING_BRACKET, CLOSING_BRACKET] = [
  0x22, 0x2c, 0x7b, 0x7d, 0x5b, 0x5d,
]

/**
 * Returns whether a JSON text is within the bounds. The time and memory to parse a text depend on the number of its
 * values: a megabyte of brackets takes a hundred times as long as a megabyte of one string. If the bytes aren't JSON, all
 * values before the fault are counted, since a parser makes these values before it fails.
 */
export function isBounded(bytes: Uint8Array, { values, depth = Number.POSITIVE_INFINITY }: JsonBounds): boolean {
  let counted = 1
  let open = 0
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at]
    if (byte === QUOTE) at = (endOfString(bytes, at) ?? bytes.length) - 1
    else if (byte === COMMA) counted += 1
    else if (byte === OPENING_BRACE || byte === OPENING_BRACKET) {
      counted += 1
      open += 1
    } else if (byte === CLOSING_BRACE || byte === CLOSING_BRACKET) open -= 1
    if (counted > values || open > depth) return false
  }
  return true
}
