import type { SinkRecord } from '../targets/writer.ts'

/** The memory that a held record takes beside its body and its id: its objects, and its place in lists. */
const RECORD_BYTES = 1024

/** Returns a record's body without the buffer of its message, which has the headers and perhaps other messages, too. */
export function ownBytes(bytes: Uint8Array): Uint8Array {
  return bytes.buffer.byteLength - bytes.length > RECORD_BYTES / 2 ? new Uint8Array(bytes) : bytes
}

/** Returns the memory that a held record takes, in bytes. */
export function heldBytes({ bytes, id = '' }: SinkRecord): number {
  return RECORD_BYTES + bytes.length + 2 * id.length
}
