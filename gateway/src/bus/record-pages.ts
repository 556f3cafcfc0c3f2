import { type MessageHead, writeSize } from './message-head.ts'
import {
  type BufferRange,
  CuttablePart,
  RecordMessage,
  type RecordText,
  recordEnd,
  type TextPart,
} from './record-message.ts'

/** Bytes from this size on are referenced instead of copied: below, one large write is cheaper than three. */
const REFERENCED_BYTES = 16 * 1024
const PAGE_BYTES = 256 * 1024
/** A range that may be larger gets a buffer of its own, so that little of a page stays unused. */
const MAX_IN_PAGE_BYTES = PAGE_BYTES / 4
/** The most bytes in UTF-8 of one UTF-16 unit. */
const BYTES_PER_UNIT = 3

/**
 * Encodes records one after another into pages: a buffer for each record would cost more than filling it, and
 * neighbours are written to the bus together. Records leave their queue in order, so that a whole page is released soon
 * after its first record.
 */
export class RecordPages {
  #page = Buffer.allocUnsafeSlow(PAGE_BYTES)
  #used = 0

  /** Encodes a record. Payloads from 16 KiB on are referenced, so that they must not change any more. */
  encode(head: MessageHead, { parts, cut }: Omit<RecordText, 'router'>): RecordMessage {
    const ranges: BufferRange[] = []
    const cuttable: { name: string; range: number }[] = []
    let run: TextPart[] = [head.text]
    for (const part of parts) {
      const bytes = part instanceof CuttablePart ? part.bytes : part
      if (typeof bytes === 'string' || bytes.length < REFERENCED_BYTES) {
        run.push(bytes)
        continue
      }
      ranges.push(this.#join(run), referenced(bytes))
      if (part instanceof CuttablePart) cuttable.push({ name: part.name, range: ranges.length - 1 })
      run = []
    }
    run.push(recordEnd(cut))
    const last = this.#join(run)
    ranges.push(last)
    const message = new RecordMessage(head, ranges, { cuttable, cut })
    const { buffer, start } = ranges[0] ?? last
    writeSize(buffer, start, head, message.size)
    return message
  }

  #join(run: readonly TextPart[]): BufferRange {
    const needed = maxBytes(run)
    if (needed > MAX_IN_PAGE_BYTES) return joinOutside(run)
    if (needed > PAGE_BYTES - this.#used) {
      this.#page = Buffer.allocUnsafeSlow(PAGE_BYTES)
      this.#used = 0
    }
    const start = this.#used
    this.#used = write(run, this.#page, start)
    return { buffer: this.#page, start, end: this.#used }
  }
}

/** Copies a small part of a large buffer, since a waiting reference would hold memory that no limit counts. */
function referenced(bytes: Uint8Array): BufferRange {
  const isMost = bytes.length >= 0.75 * bytes.buffer.byteLength
  const buffer = isMost ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length) : Buffer.from(bytes)
  return { buffer, start: 0, end: buffer.length }
}

function maxBytes(run: readonly TextPart[]): number {
  let bytes = 0
  for (const part of run) bytes += typeof part === 'string' ? part.length * BYTES_PER_UNIT : part.length
  return bytes
}

function joinOutside(run: readonly TextPart[]): BufferRange {
  let bytes = 0
  for (const part of run) bytes += typeof part === 'string' ? Buffer.byteLength(part) : part.length
  const buffer = Buffer.allocUnsafeSlow(bytes)
  return { buffer, start: 0, end: write(run, buffer, 0) }
}

/** Writes the parts, neighbouring strings together; returns the end position. */
function write(run: readonly TextPart[], target: Buffer, start: number): number {
  let position = start
  let text = ''
  for (const part of run) {
    if (typeof part === 'string') {
      text += part
      continue
    }
    if (text !== '') position += target.write(text, position)
    text = ''
    target.set(part, position)
    position += part.length
  }
  return position + target.write(text, position)
}
