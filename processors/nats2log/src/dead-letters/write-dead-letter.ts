import { MESSAGE_ID_HEADER } from '@llm-gateway/protocol'
import type { BusStreams } from '@llm-gateway/sdk'
import { refusedSubject, streamNames } from '../stream/stream-names.ts'
import type { SinkRecord } from '../targets/writer.ts'

export type DeadLetterOptions = {
  readonly streams: BusStreams
  /** The subject of the records. */
  readonly subject: string
  readonly sink: string
}

/** Headers of a dead letter: the sink, the reason, and the record's place in the stream. */
export const REFUSED_BY = 'Refused-By'
export const REFUSED_REASON = 'Refused-Reason'
const REFUSED_SEQUENCE = 'Refused-Sequence'

/** Sizes of the stream, tried in turn: the bus may have reserved its disk for other streams. */
const SIZES = [256, 64, 16].map((mebibytes) => mebibytes * 1024 * 1024)
const MAX_AGE_MS = 30 * 24 * 3_600_000

/**
 * Keeps a record that the target refuses for good as a dead letter; returns false when the bus did not take it
 * (docs/reference/kept-records.md#sinks).
 */
export async function writeDeadLetter(
  record: SinkRecord,
  reason: string,
  options: DeadLetterOptions,
): Promise<boolean> {
  const { streams, subject, sink } = options
  const { id, sequence, bytes } = record
  const headers = {
    [REFUSED_BY]: sink,
    [REFUSED_REASON]: reason,
    ...(sequence === undefined ? {} : { [REFUSED_SEQUENCE]: String(sequence) }),
    ...(id === undefined ? {} : { [MESSAGE_ID_HEADER]: `${id}-${sink}` }),
  }
  const place = refusedSubject(subject, sink)
  const first = await streams.keep(place, bytes, headers)
  if (first.kind === 'found') return true
  if (first.kind !== 'no store' || !(await makeStream(options))) return false
  return (await streams.keep(place, bytes, headers)).kind === 'found'
}

async function makeStream({ streams, subject }: DeadLetterOptions): Promise<boolean> {
  const name = streamNames(subject).refused
  for (const maxBytes of SIZES) {
    const made = await streams.makeStream({
      name,
      subject: refusedSubject(subject, '*'),
      maxBytes,
      maxAgeMs: MAX_AGE_MS,
    })
    if (made.kind === 'found') return true
  }
  return false
}
