import { type MessageHead, writeSize } from './message-head.ts'
import { LINE_END, RecordMessage, type Stretch, type TextPart } from './record-message.ts'

/** At least this large, bytes are referenced instead of copied: below, one large write is cheaper than three. */
const REFERENCED_BYTES = 16 * 1024
const PAGE_BYTES = 256 * 1024
/** What may be larger gets a buffer of its own: little of a page is left over then. */
const MOST_IN_PAGE_BYTES = PAGE_BYTES / 4
/** UTF-16 to UTF-8: the most bytes of one unit. */
const BYTES_PER_UNIT = 3

/**
 * Encodes records one behind the other into pages: a buffer for each would cost more than filling it, and neighbours are
 * written to the bus as one. Records leave their queue in order, so that a page is let go as a whole soon after its first.
 */
export class RecordPages {
  #page = Buffer.allocUnsafeSlow(PAGE_BYTES)
  #used = 0

  /** Payloads from 16 KiB on are not copied: they must not change any more. */
  encode(head: MessageHead, parts: readonly TextPart[]): RecordMessage {
    const stretches: Stretch[] = []
    let before = head.text
    let from = 0
    for (let at = 0; at < parts.length; at += 1) {
      const part = parts[at]
      if (part === undefined || typeof part === 'string' || !isReferenced(part)) continue
      const buffer = Buffer.from(part.buffer, part.byteOffset, part.length)
      stretches.push(this.#join(parts, { before, from, to: at, after: '' }), { buffer, start: 0, end: part.length })
      before = ''
      from = at + 1
    }
    const last = this.#join(parts, { before, from, to: parts.length, after: LINE_END })
    stretches.push(last)
    const message = new RecordMessage(head, stretches)
    const { buffer, start } = stretches[0] ?? last
    writeSize(buffer, start, head, message.size)
    return message
  }

  #join(parts: readonly TextPart[], run: Run): Stretch {
    const most = mostBytes(parts, run)
    if (most > MOST_IN_PAGE_BYTES) return joinOutside(parts, run)
    if (most > PAGE_BYTES - this.#used) {
      this.#page = Buffer.allocUnsafeSlow(PAGE_BYTES)
      this.#used = 0
    }
    const start = this.#used
    this.#used = write(parts, run, this.#page, start)
    return { buffer: this.#page, start, end: this.#used }
  }
}

/** Parts that become one stretch, with a text before and one after them. */
type Run = { readonly before: string; readonly from: number; readonly to: number; readonly after: string }

/** A small part of a large buffer is copied all the same: waiting, it would hold memory that no limit counts. */
function isReferenced(bytes: Uint8Array): boolean {
  return bytes.length >= REFERENCED_BYTES && bytes.length >= 0.75 * bytes.buffer.byteLength
}

function mostBytes(parts: readonly TextPart[], { before, from, to, after }: Run): number {
  let bytes = (before.length + after.length) * BYTES_PER_UNIT
  for (let at = from; at < to; at += 1) {
    const part = parts[at] ?? ''
    bytes += typeof part === 'string' ? part.length * BYTES_PER_UNIT : part.length
  }
  return bytes
}

function joinOutside(parts: readonly TextPart[], run: Run): Stretch {
  let bytes = Buffer.byteLength(run.before) + run.after.length
  for (const part of parts.slice(run.from, run.to)) {
    bytes += typeof part === 'string' ? Buffer.byteLength(part) : part.length
  }
  const buffer = Buffer.allocUnsafeSlow(bytes)
  return { buffer, start: 0, end: write(parts, run, buffer, 0) }
}

/** Neighbouring strings are encoded together; returns where it ended. */
function write(parts: readonly TextPart[], { before, from, to, after }: Run, target: Buffer, start: number): number {
  let position = start
  let text = before
  for (let at = from; at < to; at += 1) {
    const part = parts[at] ?? ''
    if (typeof part === 'string') {
      text += part
      continue
    }
    if (text !== '') position += target.write(text, position)
    text = ''
    target.set(part, position)
    position += part.length
  }
  return position + target.write(text + after, position)
}
