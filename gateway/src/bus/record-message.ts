import type { MessageHead } from './message-head.ts'

/** A piece of JSON text: a string, or bytes of UTF-8 that nobody changes any more. */
export type TextPart = string | Uint8Array

/** Bytes that lie in a larger buffer; no view of them, since thousands would be made in a second. */
export type Stretch = { readonly buffer: Buffer; readonly start: number; readonly end: number }

/** Ends a message. */
export const LINE_END = '\r\n'

/** A record as it goes to the bus, head and line end included: stretches sent one after another, none of them copied again. */
export class RecordMessage {
  readonly head: MessageHead
  /** Bytes of the record's JSON. */
  readonly length: number
  readonly stretches: readonly Stretch[]

  constructor(head: MessageHead, stretches: readonly Stretch[]) {
    let bytes = 0
    for (const { start, end } of stretches) bytes += end - start
    this.head = head
    this.length = bytes - head.bytes - LINE_END.length
    this.stretches = stretches
  }

  /** What the bus's max_payload counts: the JSON and the headers before it. */
  get size(): number {
    return this.head.headerBytes + this.length
  }

  /** The record in one buffer of its own, for what has to read it. */
  toJson(): Buffer {
    const bytes = Buffer.concat(this.stretches.map(({ buffer, start, end }) => buffer.subarray(start, end)))
    return bytes.subarray(this.head.bytes, -LINE_END.length)
  }
}
