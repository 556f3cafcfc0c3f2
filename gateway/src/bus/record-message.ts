import type { MessageHead } from './message-head.ts'

/** A piece of JSON text: a string, or immutable bytes of UTF-8. */
export type TextPart = string | Uint8Array

/** Smaller values aren't cut, since the replacement of a cut value holds its first 4 KiB. */
export const CUTTABLE_BYTES = 16 * 1024

/** A value that is cut where its record is too large for the bus. */
export class CuttablePart {
  readonly name: string
  readonly bytes: Uint8Array

  constructor(name: string, bytes: Uint8Array) {
    this.name = name
    this.bytes = bytes
  }
}

/** A new record: its JSON without the closing brace, and the names of values that are already cut. */
export type RecordText = {
  /** The path of the call's router: records of many routers take turns where they wait. */
  readonly router: string
  readonly parts: readonly (TextPart | CuttablePart)[]
  readonly cut: readonly string[]
}

/** A part of a buffer, given by its bounds: views would be made thousands of times a second. */
export type BufferRange = { readonly buffer: Buffer; readonly start: number; readonly end: number }

/** The end of a message. */
const LINE_END = '\r\n'

/** The values of a message that can be cut; `range` is an index into the ranges. */
export type Cuts = {
  readonly cuttable: readonly { readonly name: string; readonly range: number }[]
  readonly cut: readonly string[]
}

/** A record as sent to the bus, with head and line end: ranges that are sent in order without another copy. */
export class RecordMessage {
  readonly head: MessageHead
  /** The bytes of the record's JSON. */
  readonly length: number
  readonly ranges: readonly BufferRange[]
  readonly cuts: Cuts

  constructor(head: MessageHead, ranges: readonly BufferRange[], cuts: Cuts) {
    let bytes = 0
    for (const { start, end } of ranges) bytes += end - start
    this.head = head
    this.length = bytes - head.bytes - LINE_END.length
    this.ranges = ranges
    this.cuts = cuts
  }

  /** The bytes that the bus's max_payload counts: the headers and the JSON. */
  get size(): number {
    return this.head.headerBytes + this.length
  }

  /** The bytes of memory that the message keeps alive; a payload that occurs twice counts once. */
  get heldBytes(): number {
    let bytes = 0
    const { ranges } = this
    for (const [index, { buffer, start, end }] of ranges.entries()) {
      const before = ranges.findIndex((other) => other.buffer.buffer === buffer.buffer && other.start === start)
      if (before === index) bytes += end - start
    }
    return bytes
  }

  /** The record's JSON, in pieces that aren't copied. */
  get pieces(): readonly Buffer[] {
    const last = this.ranges.length - 1
    return this.ranges.map(({ buffer, start, end }, index) =>
      buffer.subarray(index === 0 ? start + this.head.bytes : start, index === last ? end - LINE_END.length : end),
    )
  }

  /** Returns the record's JSON copied into one buffer. */
  toJson(): Buffer {
    return Buffer.concat(this.pieces)
  }
}

/** Returns the end of a record's JSON and of its message. */
export function recordEnd(cut: readonly string[]): string {
  return cut.length === 0 ? `}${LINE_END}` : `,"cut":${JSON.stringify(cut)}}${LINE_END}`
}
