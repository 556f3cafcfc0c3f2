import { isUtf8 } from 'node:buffer'

/**
 * The payloads of a record. Of two payloads of equal size the payload that is earlier in this list is cut first
 * (docs/reference/record.md#cuts).
 */
const PAYLOAD_NAMES: readonly string[] = ['outbound_payload', 'ingress_payload', 'egress_payload', 'inbound_payload']

/** Returns the rank of a payload among payloads of equal size; -1 for other fields. */
export function payloadRank(name: string): number {
  return PAYLOAD_NAMES.indexOf(name)
}

const HEAD_BYTES = 4096

/**
 * Returns the JSON text that replaces a payload in a record: `{"cut":true,"bytes":n,"head":"first 4 KiB"}`
 * (docs/reference/record.md#cuts).
 */
export function cutPayload(text: Uint8Array, bytes = text.length): string {
  const head = new TextDecoder().decode(text.subarray(0, headEnd(text)))
  return JSON.stringify({ cut: true, bytes, head })
}

/** The bytes of an incomplete character at the end of a head: none to three, since UTF-8 takes at most four. */
const CUT_CHARACTER_BYTES = [0, 1, 2, 3] as const
/** The most bytes whose text `{"base64":"…"}` fits into a head; base64 turns three bytes into four characters. */
const BINARY_HEAD_BYTES = Math.floor((HEAD_BYTES - '{"base64":""}'.length) / 4) * 3

/**
 * Returns the replacement of a body of `bytes` bytes, of which only the beginning, `start`, is known. Where `start` isn't
 * UTF-8, the head is the text `{"base64":"…"}`, the form in which a record shows binary payloads.
 */
export function cutBody(start: Uint8Array, bytes: number): string {
  const head = start.subarray(0, HEAD_BYTES)
  const left = CUT_CHARACTER_BYTES.find((count) => isUtf8(head.subarray(0, head.length - count)))
  if (left !== undefined) return cutPayload(head.subarray(0, head.length - left), bytes)
  const base64 = Buffer.from(head.subarray(0, BINARY_HEAD_BYTES)).toString('base64')
  return cutPayload(Buffer.from(JSON.stringify({ base64 })), bytes)
}

function headEnd(text: Uint8Array): number {
  if (text.length <= HEAD_BYTES) return text.length
  let end = HEAD_BYTES
  while (end > 0 && ((text[end] ?? 0) & 0b1100_0000) === 0b1000_0000) end--
  return end
}
