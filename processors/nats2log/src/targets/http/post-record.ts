import { type Attempt, allFailed, DELIVERED, type SinkRecord } from '../writer.ts'
import { failureOfStatus, type HttpOutcome, type HttpTarget, isSuccess } from './http-target.ts'

export type RecordPlace = {
  readonly target: HttpTarget
  readonly url: URL
  readonly headers: Readonly<Record<string, string | string[]>>
}

/** Posts one record. */
export async function postRecord(record: SinkRecord, { target, url, headers }: RecordPlace): Promise<Attempt> {
  return attemptOf(await target.send({ url, headers, body: record.bytes }), [record])
}

/** Turns an outcome into the attempt of records that were sent together. */
export function attemptOf(outcome: HttpOutcome, records: readonly SinkRecord[]): Attempt {
  if (outcome.kind === 'failed') return allFailed(records, { code: outcome.code, again: true })
  const { status, retryAfterMs } = outcome
  if (isSuccess(status)) return DELIVERED
  const attempt = allFailed(records, failureOfStatus(status))
  return retryAfterMs === undefined ? attempt : { ...attempt, retryAfterMs }
}
