import { type Attempt, allFailed, DELIVERED, type SinkRecord } from '../writer.ts'
import { failureOfStatus, type HttpOutcome, type HttpTarget, isSuccess } from './http-target.ts'

export type RecordPlace = {
  readonly target: HttpTarget
  readonly url: URL
  readonly headers: Readonly<Record<string, string | string[]>>
  /** Statuses beside 2xx that mean that the target has the record. */
  readonly alsoDelivered?: readonly number[]
}

/** Posts one record. */
export async function postRecord(record: SinkRecord, place: RecordPlace): Promise<Attempt> {
  const { target, url, headers, alsoDelivered = [] } = place
  const outcome = await target.post({ url, headers, body: record.bytes })
  if (outcome.kind === 'answered' && alsoDelivered.includes(outcome.status)) return DELIVERED
  return attemptOf(outcome, [record])
}

/** Turns an outcome into the attempt of records that were sent together. */
export function attemptOf(outcome: HttpOutcome, records: readonly SinkRecord[]): Attempt {
  if (outcome.kind === 'failed') return allFailed(records, { code: outcome.code, again: true })
  const { status, retryAfterMs } = outcome
  if (isSuccess(status)) return DELIVERED
  const attempt = allFailed(records, failureOfStatus(status))
  return retryAfterMs === undefined ? attempt : { ...attempt, retryAfterMs }
}
