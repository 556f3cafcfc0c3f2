import { waitFor } from '@llm-gateway/sdk'
import { type Attempt, allFailed, type Failure, type SinkRecord, type Writer } from '../targets/writer.ts'
import type { BackOff } from './back-off.ts'
import type { OutcomeCounts } from './outcome-counts.ts'

export type DeliverOptions = {
  readonly writer: Writer
  readonly counts: OutcomeCounts
  /** Called for each record that the target has. */
  readonly delivered: (record: SinkRecord) => void
  /** Keeps a record that the target will never take; returns false when the keeping must be tried again. */
  readonly refuse: (record: SinkRecord, code: string) => Promise<boolean>
  /** Ends the tries; records that aren't settled by then stay with the bus. */
  readonly signal: AbortSignal
  readonly backOff: BackOff
  /** Default: `waitFor`. */
  readonly wait?: typeof waitFor
}

/**
 * Writes records in batches and retries until each is settled or the signal aborts. Records left at that point are not
 * reported.
 */
export async function deliver(records: readonly SinkRecord[], options: DeliverOptions): Promise<void> {
  const batches = batchesOf(records, options.writer.batch)
  const work = async (): Promise<void> => {
    for (let batch = batches.shift(); batch !== undefined; batch = batches.shift()) await deliverBatch(batch, options)
  }
  const workers = Math.min(options.writer.concurrency, batches.length)
  await Promise.all(Array.from({ length: workers }, work))
}

async function deliverBatch(batch: readonly SinkRecord[], options: DeliverOptions): Promise<void> {
  const { writer, signal, backOff, wait = waitFor } = options
  let rest = batch
  while (rest.length > 0 && !signal.aborted) {
    const startedMs = performance.now()
    const attempt = await writeBatch(writer, rest)
    const left = await settle(rest, attempt, options)
    if (left.length < rest.length) backOff.succeeded()
    rest = left
    if (rest.length > 0) await wait(backOff.failed(startedMs, attempt.retryAfterMs ?? 0), signal)
  }
}

/** Counts the settled records of a try and returns those to try again. */
async function settle(
  tried: readonly SinkRecord[],
  { failed }: Attempt,
  options: DeliverOptions,
): Promise<readonly SinkRecord[]> {
  const { counts, delivered, refuse } = options
  const failures = new Map<SinkRecord, Failure>(failed.map((failure) => [failure.record, failure]))
  const rest: SinkRecord[] = []
  for (const record of tried) {
    const failure = failures.get(record)
    if (failure === undefined) delivered(record)
    else if (failure.again) rest.push(record)
    else if (!(await refuse(record, failure.code))) rest.push(record)
  }
  counts.delivered(tried.length - failures.size)
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
