import { HEAD_ROOM, LINE_END, RecordText, type TextPart } from './record-text.ts'

/** At least this large, bytes are referenced instead of copied: below, one large write is cheaper than three. */
const REFERENCED_BYTES = 16 * 1024
const PAGE_BYTES = 256 * 1024
/** What may be larger gets a buffer of its own: little of a page is left over then. */
const MOST_IN_PAGE_BYTES = PAGE_BYTES / 4
/** UTF-16 to UTF-8: the most bytes of one unit. */
const BYTES_PER_UNIT = 3

/**
 * Encodes records one behind the other into pages: a buffer for each would cost more than filling it. Records leave their
 * queue in order, so that a page is let go as a whole soon after its first record.
 */
export class RecordPages {
  #page = Buffer.allocUnsafeSlow(PAGE_BYTES)
  #used = 0

  /** Payloads from 16 KiB on are not copied: they must not change any more. */
  encode(parts: readonly TextPart[]): RecordText {
    const chunks: Buffer[] = []
    let length = 0
    let from = 0
    parts.forEach((part, at) => {
      if (typeof part === 'string' || !isReferenced(part)) return
      const run = this.#join(parts.slice(from, at), chunks.length === 0 ? HEAD_ROOM : 0)
      chunks.push(run, Buffer.from(part.buffer, part.byteOffset, part.length))
      length += run.length + part.length
      from = at + 1
    })
    const last = this.#join([...parts.slice(from), LINE_END], chunks.length === 0 ? HEAD_ROOM : 0)
    chunks.push(last)
    return new RecordText(chunks, length + last.length - HEAD_ROOM - LINE_END.length)
  }

  #join(parts: readonly TextPart[], room: number): Buffer {
    const most = parts.reduce((sum, part) => sum + part.length * (typeof part === 'string' ? BYTES_PER_UNIT : 1), room)
    if (most > MOST_IN_PAGE_BYTES) return joinOutside(parts, room)
    if (most > PAGE_BYTES - this.#used) {
      this.#page = Buffer.allocUnsafeSlow(PAGE_BYTES)
      this.#used = 0
    }
    const start = this.#used
    this.#used = write(parts, this.#page, start + room)
    return this.#page.subarray(start, this.#used)
  }
}

/** A small part of a large buffer is copied all the same: waiting, it would hold memory that no limit counts. */
function isReferenced(bytes: Uint8Array): boolean {
  return bytes.length >= REFERENCED_BYTES && bytes.length >= 0.75 * bytes.buffer.byteLength
}

function joinOutside(parts: readonly TextPart[], room: number): Buffer {
  const length = parts.reduce(
    (sum, part) => sum + (typeof part === 'string' ? Buffer.byteLength(part) : part.length),
    0,
  )
  const bytes = Buffer.allocUnsafeSlow(room + length)
  write(parts, bytes, room)
  return bytes
}

/** Neighbouring strings are encoded together; returns where it ended. */
function write(parts: readonly TextPart[], target: Buffer, start: number): number {
  let position = start
  let text = ''
  for (const part of parts) {
    if (typeof part === 'string') {
      text += part
      continue
    }
    position += target.write(text, position)
    text = ''
    target.set(part, position)
    position += part.length
  }
  return position + target.write(text, position)
}
