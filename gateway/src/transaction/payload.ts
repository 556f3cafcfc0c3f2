import { isAscii, isUtf8 } from 'node:buffer'

/** One of the four payloads as bytes, and what these bytes are. */
export type Payload =
  | { readonly kind: 'none' }
  | { readonly kind: 'json'; readonly bytes: Buffer }
  | { readonly kind: 'text'; readonly bytes: Buffer }
  | { readonly kind: 'binary'; readonly bytes: Buffer }

/** Text that is part of a JSON document: a string, or the bytes of a payload, spliced as they are. */
export type JsonText = string | Uint8Array

export const noPayload: Payload = { kind: 'none' }

/** What JSON.parse made of some bytes; `text` where they are UTF-8 but not JSON. */
export type ParsedBytes = { readonly payload: Payload; readonly value: unknown }

/** Parses bytes once and tells what they are. `value` is undefined unless they are JSON. */
export function parseBytes(bytes: Buffer): ParsedBytes {
  if (bytes.length === 0) return { payload: noPayload, value: undefined }
  // Most payloads are ASCII, which is UTF-8, and latin1 of it is a plain copy.
  const ascii = isAscii(bytes)
  if (!ascii && !isUtf8(bytes)) return { payload: { kind: 'binary', bytes }, value: undefined }
  try {
    return { payload: { kind: 'json', bytes }, value: JSON.parse(longText(bytes, ascii ? 'latin1' : 'utf8')) }
  } catch (error) {
    if (error instanceof SyntaxError) return { payload: { kind: 'text', bytes }, value: undefined }
    throw error
  }
}

/** The payload of a JSON value; undefined where it can't be written (nested deeper than the stack allows). */
export function payloadOfValue(value: unknown): Payload | undefined {
  const text = stringify(value)
  return text === undefined ? undefined : { kind: 'json', bytes: Buffer.from(text) }
}

/** JSON.stringify for values that came out of JSON.parse; undefined where nesting overflows the stack. */
function stringify(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** A payload in a record or a processor's message: JSON as it came, text as a JSON string, else base64 (wire, 3). */
export function payloadJson(payload: Payload): JsonText {
  switch (payload.kind) {
    case 'none':
      return 'null'
    case 'json':
      return payload.bytes
    case 'text':
      return JSON.stringify(textOf(payload.bytes))
    case 'binary':
      return `{"base64":"${payload.bytes.toString('base64')}"}`
    default:
      return payload satisfies never
  }
}

export function payloadBytes(payload: Payload): Buffer | undefined {
  return payload.kind === 'none' ? undefined : payload.bytes
}

/** Latin-1 is a plain copy, and the same text where all bytes are ASCII, as most payloads are. */
export function textOf(bytes: Buffer): string {
  return longText(bytes, isAscii(bytes) ? 'latin1' : 'utf8')
}

/**
 * Node keeps a string of more than about 1,032,000 bytes outside V8's heap, as part of the old generation: freed only after
 * all of it has been marked. In pieces it is young and dies with its call.
 */
const PIECE_BYTES = 512 * 1024

function longText(bytes: Buffer, coding: 'latin1' | 'utf8'): string {
  if (bytes.length <= PIECE_BYTES) return bytes.toString(coding)
  let text = ''
  for (let start = 0, end = 0; start < bytes.length; start = end) {
    end = Math.min(start + PIECE_BYTES, bytes.length)
    if (coding === 'utf8') end = characterStart(bytes, end)
    text += bytes.toString(coding, start, end)
  }
  return text
}

/** Where the character begins that `position` is in; it has at most four bytes. */
function characterStart(bytes: Buffer, position: number): number {
  for (let start = position; start > position - 4; start -= 1) {
    if (((bytes[start] ?? 0) & 0b1100_0000) !== 0b1000_0000) return start
  }
  return position
}
