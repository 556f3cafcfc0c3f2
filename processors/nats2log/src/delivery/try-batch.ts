import { type Attempt, allFailed, type Failure, type SinkRecord, type Writer } from '../targets/writer.ts'
import type { OutcomeCounts } from './outcome-counts.ts'

export type SettleOptions = {
  readonly counts: OutcomeCounts
  /** Called for each record that the target has. */
  readonly delivered: (record: SinkRecord) => void
  /** Keeps a record that the target will never take; returns false when the keeping must be tried again. */
  readonly refuse: (record: SinkRecord, code: string) => Promise<boolean>
}

/** A record that is to be tried again. */
export type FailedRecord = { readonly record: SinkRecord; readonly failure: Failure }

/** Counts the settled records of a try and returns those to try again. */
export async function settle(
  tried: readonly SinkRecord[],
  { failed }: Attempt,
  options: SettleOptions,
): Promise<readonly FailedRecord[]> {
  const { counts, delivered, refuse } = options
  const failures = new Map<SinkRecord, Failure>(failed.map((failure) => [failure.record, failure]))
  const rest: FailedRecord[] = []
  for (const record of tried) {
    const failure = failures.get(record)
    if (failure === undefined) delivered(record)
    else if (failure.again || !(await refuse(record, failure.code))) rest.push({ record, failure })
  }
  counts.delivered(tried.length - failures.size)
  for (const [code, count] of countByCode(rest)) counts.waiting(count, code)
  return rest
}

/** Writes a batch. When the writer throws, writes its records one by one, so that only the faulty one is refused. */
export async function writeBatch(writer: Writer, records: readonly SinkRecord[]): Promise<Attempt> {
  try {
    return await writer.write(records)
  } catch {
    if (records.length === 1) return allFailed(records, { code: 'UNWRITABLE', again: false })
    const attempts: Attempt[] = []
    for (const record of records) attempts.push(await writeBatch(writer, [record]))
    return { failed: attempts.flatMap(({ failed }) => failed) }
  }
}

/** Splits records into batches of at most this size, in their order. */
export function batchesOf(records: readonly SinkRecord[], limit: Writer['batch']): SinkRecord[][] {
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

function countByCode(failed: readonly FailedRecord[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { failure } of failed) counts.set(failure.code, (counts.get(failure.code) ?? 0) + 1)
  return counts
}
