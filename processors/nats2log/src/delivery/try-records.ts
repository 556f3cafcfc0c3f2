import type { waitFor } from '@llm-gateway/sdk'
import { type Attempt, allFailed, type Failure, type SinkRecord, type Writer } from '../targets/writer.ts'
import type { BackOff } from './back-off.ts'
import type { OutcomeCounts } from './outcome-counts.ts'
import type { Suspects } from './suspects.ts'

export type DeliverOptions = {
  readonly writer: Writer
  readonly counts: OutcomeCounts
  /** Called for each record that the target has. */
  readonly delivered: (record: SinkRecord) => void
  /** Keeps a record that the target will never take; returns false when the keeping must be tried again. */
  readonly refuse: (record: SinkRecord, code: string) => Promise<boolean>
  /** Gives a suspect back; the sink gets it again after `delayMs`. */
  readonly postpone: (record: SinkRecord, delayMs: number) => void
  /** Ends the tries; records that aren't settled by then stay with the bus. */
  readonly signal: AbortSignal
  readonly backOff: BackOff
  readonly suspects: Suspects
  /** Milliseconds of the monotonic clock of `suspects`. */
  readonly now: () => number
  readonly wait: typeof waitFor
}

/** The result of one try. */
export type Tried = {
  /** The records to try again. */
  readonly left: readonly SinkRecord[]
  /** True: each of these records failed by itself, whatever records were beside it. */
  readonly isApart: boolean
  /**
   * The failures of the records in `left` for which later records don't wait, although the writer keeps the order. A
   * refused record whose dead letter the bus didn't take is among them.
   */
  readonly alone: Attempt['failed']
  readonly code: string
  readonly startedMs: number
  /** The wait that the target asks for, in milliseconds. */
  readonly askedMs: number
}

/** Tries records once, together, and settles those that the target has or refuses for good. */
export async function tryRecords(records: readonly SinkRecord[], options: DeliverOptions): Promise<Tried> {
  const startedMs = options.now()
  const attempt = await writeBatch(options.writer, records)
  const left = await settle(records, attempt, options)
  const isApart = attempt.apart === true || records.length === 1
  const rest = new Set(left)
  const alone = attempt.failed.filter((one) => rest.has(one.record) && (one.alone === true || !one.again))
  return { left, isApart, alone, code: attempt.failed[0]?.code ?? '', startedMs, askedMs: attempt.retryAfterMs ?? 0 }
}

/** Gives up or postpones records that failed apart; `since`: the delivered records before their first failure. */
export async function setAside({ left, ...failure }: Tried, since: number, options: DeliverOptions): Promise<void> {
  const { suspects, refuse, postpone } = options
  let takesLetters = true
  for (const record of left) {
    const pauseMs = suspects.failed(record, { since, ...failure })
    const isGivenUp = takesLetters && suspects.isGivenUp(record)
    if (isGivenUp) takesLetters = await refuse(record, failure.code)
    if (!isGivenUp || !takesLetters) postpone(record, pauseMs)
  }
}

/** Counts the settled records of a try and returns those to try again. */
async function settle(
  tried: readonly SinkRecord[],
  { failed }: Attempt,
  options: DeliverOptions,
): Promise<readonly SinkRecord[]> {
  const { counts, delivered, refuse, suspects, backOff } = options
  const failures = new Map<SinkRecord, Failure>(failed.map((failure) => [failure.record, failure]))
  for (const record of tried) if (!failures.has(record)) delivered(record)
  const rest: SinkRecord[] = []
  let takesLetters = true
  for (const record of tried) {
    const failure = failures.get(record)
    if (failure === undefined) continue
    // Each letter that the bus doesn't take may cost seconds.
    if (!failure.again && takesLetters) takesLetters = await refuse(record, failure.code)
    if (failure.again || !takesLetters) rest.push(record)
  }
  if (rest.length < tried.length) backOff.succeeded()
  counts.delivered(tried.length - failures.size)
  suspects.addDelivered(tried.length - failures.size)
  for (const [code, count] of countByCode(rest, failures)) counts.waiting(count, code)
  return rest
}

/** Writes a batch. When the writer throws, writes its records one by one, so that only the faulty one is refused. */
async function writeBatch(writer: Writer, records: readonly SinkRecord[]): Promise<Attempt> {
  try {
    return await writer.write(records)
  } catch {
    if (records.length === 1) return allFailed(records, { code: 'UNWRITABLE', again: false })
    const attempts: Attempt[] = []
    for (const record of records) attempts.push(await writeBatch(writer, [record]))
    return { failed: attempts.flatMap(({ failed }) => failed) }
  }
}

function countByCode(
  records: readonly SinkRecord[],
  failures: ReadonlyMap<SinkRecord, Failure>,
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const record of records) {
    const { code = '' } = failures.get(record) ?? {}
    counts.set(code, (counts.get(code) ?? 0) + 1)
  }
  return counts
}
