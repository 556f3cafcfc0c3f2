import type { MessageHead } from './message-head.ts'

/** A piece of JSON text: a string, or bytes of UTF-8 that nobody changes any more. */
export type TextPart = string | Uint8Array

/** A value of a record that is cut where the record is too large for the bus. */
export class CuttablePart {
  readonly name: string
  readonly bytes: Uint8Array

  constructor(name: string, bytes: Uint8Array) {
    this.name = name
    this.bytes = bytes
  }
}

/** A record as it is made: its JSON but for the closing brace, and the names of what was cut already. */
export type RecordText = {
  readonly parts: readonly (TextPart | CuttablePart)[]
  readonly cut: readonly string[]
}

/** A part of a buffer, by its bounds: a view object would be made thousands of times a second. */
export type BufferRange = { readonly buffer: Buffer; readonly start: number; readonly end: number }

/** Ends a message. */
const LINE_END = '\r\n'

/** The values of a message that can be cut; `range` is an index into the ranges. */
export type Cuts = {
  readonly cuttable: readonly { readonly name: string; readonly range: number }[]
  readonly cut: readonly string[]
}

/** A record as the bus gets it, with head and line end: ranges that are sent one after another without another copy. */
export class RecordMessage {
  readonly head: MessageHead
  /** Bytes of the record's JSON. */
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

  /** Bytes that the bus's max_payload counts: the JSON and the headers before it. */
  get size(): number {
    return this.head.headerBytes + this.length
  }

  /** Bytes of memory that it keeps alive: a payload that stands in it twice counts once. */
  get heldBytes(): number {
    let bytes = 0
    const { ranges } = this
    for (const [index, { buffer, start, end }] of ranges.entries()) {
      const before = ranges.findIndex((other) => other.buffer.buffer === buffer.buffer && other.start === start)
      if (before === index) bytes += end - start
    }
    return bytes
  }

  /** The record's JSON, as it lies. */
  get pieces(): readonly Buffer[] {
    const last = this.ranges.length - 1
    return this.ranges.map(({ buffer, start, end }, index) =>
      buffer.subarray(index === 0 ? start + this.head.bytes : start, index === last ? end - LINE_END.length : end),
    )
  }

  /** The record in one buffer of its own, for what has to read it. */
  toJson(): Buffer {
    return Buffer.concat(this.pieces)
  }
}

/** The end of a record's JSON and of its message. */
export function recordEnd(cut: readonly string[]): string {
  return cut.length === 0 ? `}${LINE_END}` : `,"cut":${JSON.stringify(cut)}}${LINE_END}`
}
