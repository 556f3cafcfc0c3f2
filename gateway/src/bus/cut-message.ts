import { cutPayload, payloadRank } from './cut-payload.ts'
import { writeSize } from './message-head.ts'
import { type BufferRange, type Cuts, RecordMessage, recordEnd } from './record-message.ts'

/**
 * Cuts the largest values of a message until its size is at most `maxBytes`: payloads first, then fields that
 * processors added. Returns undefined where the message is too large even then. The record isn't parsed, since the
 * positions of its large values are known.
 */
export function cutMessage(message: RecordMessage, maxBytes: number): RecordMessage | undefined {
  if (message.size <= maxBytes) return message
  let cut = message
  for (const { name, range } of byRank(message)) {
    if (cut.size <= maxBytes) return cut
    cut = withCut(cut, name, range)
  }
  return cut.size <= maxBytes ? cut : undefined
}

/** Returns payloads before other fields, the largest first; payloads of equal size are ordered by payloadRank. */
function byRank({ cuts, ranges }: RecordMessage): Cuts['cuttable'] {
  const size = ({ range }: { range: number }): number => {
    const { start, end } = ranges[range] ?? { start: 0, end: 0 }
    return end - start
  }
  const isField = (name: string): number => (payloadRank(name) < 0 ? 1 : 0)
  return cuts.cuttable.toSorted(
    (a, b) => isField(a.name) - isField(b.name) || size(b) - size(a) || payloadRank(a.name) - payloadRank(b.name),
  )
}

function withCut(message: RecordMessage, name: string, index: number): RecordMessage {
  const { head, ranges, cuts } = message
  const cut = cuts.cut.includes(name) ? cuts.cut : [...cuts.cut, name]
  const next = ranges.map((range, at) => (at === index ? cutRange(range) : range))
  const last = next.length - 1
  const end = ranges[last]
  if (end !== undefined) next[last] = withEnd(end, recordEnd(cuts.cut), recordEnd(cut))
  const cuttable = cuts.cuttable.filter(({ range }) => range !== index)
  const [first] = next
  // The size is written into a copy, since the whole message may be sent later.
  const start = first === undefined ? undefined : whole(Buffer.from(first.buffer.subarray(first.start, first.end)))
  if (start !== undefined) next[0] = start
  const shorter = new RecordMessage(head, next, { cuttable, cut })
  if (start !== undefined) writeSize(start.buffer, start.start, head, shorter.size)
  return shorter
}

function cutRange({ buffer, start, end }: BufferRange): BufferRange {
  return whole(Buffer.from(cutPayload(buffer.subarray(start, end))))
}

/** Replaces the last bytes of a range. The result is a new buffer, since the next record follows in the page. */
function withEnd({ buffer, start, end }: BufferRange, before: string, after: string): BufferRange {
  return whole(Buffer.concat([buffer.subarray(start, end - Buffer.byteLength(before)), Buffer.from(after)]))
}

function whole(buffer: Buffer): BufferRange {
  return { buffer, start: 0, end: buffer.length }
}
