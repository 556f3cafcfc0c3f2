import { waitFor } from '@llm-gateway/sdk'
import { halves } from '../targets/split-batch.ts'
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
  /** Gives a record back that failed alone; the sink gets it again after `delayMs`. */
  readonly postpone: (record: SinkRecord, delayMs: number) => void
  /** Ends the tries; records that aren't settled by then stay with the bus. */
  readonly signal: AbortSignal
  readonly backOff: BackOff
  readonly suspects: Suspects
  /** Default: `waitFor`. */
  readonly wait?: typeof waitFor
}

/** The wait after a try of a record that has failed alone, if nothing else was delivered. */
const QUIET_MS = 1_000

/** Records that are tried together. */
type Group = {
  readonly records: readonly SinkRecord[]
  /** The number of delivered records before the first failed try of these records; undefined: no try has failed. */
  readonly since?: number
}

/**
 * Writes records in batches and retries until each is settled or postponed, or the signal aborts. Records left at that
 * point are not reported. A batch that fails again is halved, and other batches come first, until the records at fault
 * are alone (docs/reference/kept-records.md#records-that-fail-alone).
 */
export async function deliver(records: readonly SinkRecord[], options: DeliverOptions): Promise<void> {
  const { writer, signal, suspects } = options
  const before = suspects.delivered
  const known = records.filter((record) => suspects.has(record))
  const others = records.filter((record) => !suspects.has(record))
  const groups: Group[] = batchesOf(others, writer.batch).map((batch) => ({ records: batch }))
  const work = async (): Promise<void> => {
    for (let group = groups.shift(); group !== undefined && !signal.aborted; group = groups.shift()) {
      const rest = await deliverGroup(group, options)
      if (writer.inOrder === true) groups.unshift(...rest)
      else groups.push(...rest)
    }
  }
  const workers = Math.min(writer.concurrency, groups.length)
  await Promise.all(Array.from({ length: workers }, work))
  await deliverSuspects(known, before, options)
}

/** Tries a group once and waits after a failure; returns its records to try again, in the groups to try. */
async function deliverGroup({ records, since }: Group, options: DeliverOptions): Promise<readonly Group[]> {
  const { writer, signal, backOff, suspects, wait = waitFor } = options
  const before = since ?? suspects.delivered
  const tried = await tryOnce(records, options)
  const { left, startedMs, askedMs } = tried
  if (left.length < records.length) backOff.succeeded()
  if (left.length === 0) return []
  const isAlone = records.length === 1 && writer.inOrder !== true
  if (isAlone) await setAside(tried, before, options)
  await wait(backOff.failed(startedMs, askedMs), signal)
  if (isAlone) return []
  const keepsTogether = since === undefined || left.length === 1 || writer.inOrder === true
  return (keepsTogether ? [left] : halves(left)).map((some) => ({ records: some, since: before }))
}

/**
 * Tries records that have failed alone, one by one. Their failures say nothing about the target while others are
 * delivered. Else the target may be away: it gets one of them, and the sink waits a moment.
 */
async function deliverSuspects(records: readonly SinkRecord[], before: number, options: DeliverOptions): Promise<void> {
  const { signal, suspects, postpone, wait = waitFor } = options
  for (const [index, record] of records.entries()) {
    if (signal.aborted) return
    if (index > 0 && suspects.delivered === before) {
      postpone(record, suspects.turnMs)
      continue
    }
    await setAside(await tryOnce([record], options), before, options)
    if (suspects.delivered === before) await wait(QUIET_MS, signal)
  }
}

type Tried = {
  /** The records to try again. */
  readonly left: readonly SinkRecord[]
  readonly code: string
  readonly startedMs: number
  /** The wait that the target asks for, in milliseconds. */
  readonly askedMs: number
}

async function tryOnce(records: readonly SinkRecord[], options: DeliverOptions): Promise<Tried> {
  const startedMs = performance.now()
  const attempt = await writeBatch(options.writer, records)
  const left = await settle(records, attempt, options)
  return { left, code: attempt.failed[0]?.code ?? '', startedMs, askedMs: attempt.retryAfterMs ?? 0 }
}

/** Gives up or postpones a record that failed alone; `since`: the delivered records before its first failure. */
async function setAside({ left, code, ...times }: Tried, since: number, options: DeliverOptions): Promise<void> {
  const { suspects, refuse, postpone } = options
  for (const record of left) {
    const pauseMs = suspects.failed(record, { since, ...times })
    const isSettled = suspects.isGivenUp(record) && (await refuse(record, code))
    if (!isSettled) postpone(record, pauseMs)
  }
}

/** Counts the settled records of a try and returns those to try again. */
async function settle(
  tried: readonly SinkRecord[],
  { failed }: Attempt,
  options: DeliverOptions,
): Promise<readonly SinkRecord[]> {
  const { counts, delivered, refuse, suspects } = options
  const failures = new Map<SinkRecord, Failure>(failed.map((failure) => [failure.record, failure]))
  const rest: SinkRecord[] = []
  for (const record of tried) {
    const failure = failures.get(record)
    if (failure === undefined) delivered(record)
    else if (failure.again) rest.push(record)
    else if (!(await refuse(record, failure.code))) rest.push(record)
  }
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

function batchesOf(records: readonly SinkRecord[], limit: Writer['batch']): SinkRecord[][] {
  const batches: SinkRecord[][] = []
  let bytes = 0
  for (const record of records) {
    const last = batches.at(-1)
    if (last === undefined || last.length === limit.records || bytes + record.bytes.length > limit.bytes) {
      batches.push([record])
      bytes = record.bytes.length
    } else {
      last.push(record)
      bytes += record.bytes.length
    }
  }
  return batches
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
