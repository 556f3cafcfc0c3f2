import { MESSAGE_ID_HEADER } from '@llm-gateway/protocol'
import type { BusStreams, Logger, StreamAnswer } from '@llm-gateway/sdk'
import { refusedSubject, streamNames } from '../stream/stream-names.ts'
import type { SinkRecord } from '../targets/writer.ts'

export type DeadLetterOptions = {
  readonly streams: BusStreams
  /** The subject of the records. */
  readonly subject: string
  readonly sink: string
  readonly logger: Logger
}

/** `too large`: no dead letter can have this size, so the record is lost; `failed`: another try may succeed. */
export type Keeping = 'kept' | 'too large' | 'failed'

/** Headers of a dead letter: the sink, the reason, and the record's place in the stream. */
export const REFUSED_BY = 'Refused-By'
export const REFUSED_REASON = 'Refused-Reason'
const REFUSED_SEQUENCE = 'Refused-Sequence'

/** Sizes of the stream, tried in turn: the bus may have reserved its disk for other streams. */
const SIZES = [256, 64, 16].map((mebibytes) => mebibytes * 1024 * 1024)
const MAX_AGE_MS = 30 * 24 * 3_600_000
/** A smaller letter fits into each of these streams, so the bus isn't asked for the stream's size. */
const SMALL_BYTES = 1024 * 1024
/** The bus's and the stream's refusal of a message of this size. */
const TOO_LARGE: ReadonlySet<string> = new Set(['MAX_PAYLOAD_EXCEEDED', 'STORE_10054'])

/**
 * Keeps a record that the target refuses for good as a dead letter. Logs the loss of a record that is too large for one
 * (docs/reference/kept-records.md#dead-letters).
 */
export async function writeDeadLetter(
  record: SinkRecord,
  reason: string,
  options: DeadLetterOptions,
): Promise<Keeping> {
  const { sink, logger } = options
  const { id, sequence, bytes } = record
  const headers = {
    [REFUSED_BY]: sink,
    [REFUSED_REASON]: reason,
    ...(sequence === undefined ? {} : { [REFUSED_SEQUENCE]: String(sequence) }),
    ...(id === undefined ? {} : { [MESSAGE_ID_HEADER]: `${id}-${sink}` }),
  }
  const keeping = await keep({ bytes, headers }, options)
  if (keeping === 'too large') logger.error({ id, sequence, bytes: bytes.length, code: reason }, LOST)
  return keeping
}

const LOST = 'refused record lost: it is too large for a dead letter'

type Letter = { readonly bytes: Uint8Array; readonly headers: Readonly<Record<string, string>> }

async function keep(letter: Letter, options: DeadLetterOptions): Promise<Keeping> {
  const { streams, subject, sink } = options
  if (!(await hasRoom(letter, options))) return 'too large'
  const ask = () => streams.keep(refusedSubject(subject, sink), letter.bytes, letter.headers)
  const first = await ask()
  if (first.kind !== 'no store') return keepingOf(first)
  return (await makeStream(options)) ? keepingOf(await ask()) : 'failed'
}

/**
 * Returns whether the stream keeps messages of this size, as far as the bus tells. A stream of an earlier version takes
 * a letter that is larger than itself, and drops it at once with all others.
 */
async function hasRoom({ bytes, headers }: Letter, { streams, subject }: DeadLetterOptions): Promise<boolean> {
  if (bytes.length < SMALL_BYTES) return true
  const state = await streams.state(streamNames(subject).refused)
  if (state.kind !== 'found' || state.value.mostBytes === undefined) return true
  const lines = Object.entries(headers).map(([name, value]) => Buffer.byteLength(`${name}: ${value}\r\n`))
  const head = lines.reduce((sum, length) => sum + length, Buffer.byteLength('NATS/1.0\r\n\r\n'))
  return head + bytes.length <= state.value.mostBytes
}

function keepingOf(answer: StreamAnswer<number>): Keeping {
  if (answer.kind === 'found') return 'kept'
  return answer.kind === 'failed' && TOO_LARGE.has(answer.code) ? 'too large' : 'failed'
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
