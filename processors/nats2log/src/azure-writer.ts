import type { Logger } from '@llm-gateway/sdk'
import { AzureClock } from './azure-clock.ts'
import { azureRecord } from './azure-record.ts'
import { azureSignature, CONTENT_TYPE } from './azure-signature.ts'
import { createHttpTarget, type HttpOutcome } from './http-target.ts'
import type { Trust } from './outbound-tls.ts'
import { attemptOf } from './post-record.ts'
import { type Attempt, DELIVERED, type SinkRecord, type Writer } from './writer.ts'

export type AzureTarget = {
  /** Of the service, `https://<workspace>.ods.opinsights.azure.com`. */
  readonly url: URL
  readonly workspaceId: string
  /** Base64. */
  readonly sharedKey: string
  /** The table, without the `_CL` that the service adds. */
  readonly logType: string
  /** A first-level field for the call's time; empty: the service takes the time of arrival. */
  readonly timeField: string
  readonly tls: Trust
  readonly logger: Pick<Logger, 'warn'>
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

const CONCURRENCY = 4
/** The service takes posts of up to 30 MB. */
const BATCH = { records: 1_000, bytes: 20_000_000 }
const MAX_POST_BYTES = 30_000_000

/** Posts records to a Log Analytics workspace as JSON arrays (wire, 1.2; HTTP Data Collector API, 2016-04-01). */
export function createAzureWriter(options: AzureTarget): Writer {
  const target = createHttpTarget({ tls: options.tls, connections: CONCURRENCY, now: options.now })
  const url = new URL('/api/logs?api-version=2016-04-01', options.url)
  const clock = new AzureClock(options.now)

  const post = async (body: Uint8Array, again: boolean): Promise<HttpOutcome> => {
    const signedAt = clock.now()
    const outcome = await target.post({ url, headers: headersOf(body, signedAt, options), body })
    if (!again || outcome.kind === 'failed' || outcome.status !== 403) return outcome
    const offset_ms = clock.correct(signedAt, outcome.date)
    if (offset_ms === undefined) return outcome
    options.logger.warn({ code: 'CLOCK_SKEW', offset_ms }, 'clock differs from that of the target')
    return await post(body, false)
  }
  const write = async (records: readonly SinkRecord[]): Promise<Attempt> => {
    const body = jsonArray(records.map(({ bytes }) => azureRecord(bytes, options.timeField)))
    const outcome: HttpOutcome = body.length > MAX_POST_BYTES ? TOO_LARGE : await post(body, true)
    if (records.length === 1 || !isForOneRecord(outcome)) return attemptOf(outcome, records)
    // One record that the service can't take must not cost the others.
    const middle = Math.ceil(records.length / 2)
    return joined(await write(records.slice(0, middle)), await write(records.slice(middle)))
  }
  return {
    batch: BATCH,
    concurrency: CONCURRENCY,
    open: async () => undefined,
    write: async (records) => (records.length === 0 ? DELIVERED : await write(records)),
    close: target.close,
  }
}

const TOO_LARGE: HttpOutcome = { kind: 'answered', status: 413, date: undefined, retryAfterMs: undefined, text: '' }

function headersOf(body: Uint8Array, signedAt: number, options: AzureTarget): Record<string, string> {
  const date = new Date(signedAt).toUTCString()
  const { workspaceId, sharedKey, logType, timeField } = options
  return {
    Authorization: azureSignature({ workspaceId, sharedKey, contentLength: body.length, date }),
    'Content-Type': CONTENT_TYPE,
    'Log-Type': logType,
    'x-ms-date': date,
    ...(timeField === '' ? {} : { 'time-generated-field': timeField }),
  }
}

function jsonArray(records: readonly Uint8Array[]): Uint8Array {
  const comma = Buffer.from(',')
  const pieces = records.flatMap((record, index) => (index === 0 ? [record] : [comma, record]))
  return Buffer.concat([Buffer.from('['), ...pieces, Buffer.from(']')])
}

/** Whether a refusal may be about some of the records alone. */
function isForOneRecord(outcome: HttpOutcome): boolean {
  if (outcome.kind === 'failed') return false
  return outcome.status === 413 || (outcome.status === 400 && outcome.text.includes('InvalidDataFormat'))
}

function joined(first: Attempt, second: Attempt): Attempt {
  const retryAfterMs = Math.max(first.retryAfterMs ?? 0, second.retryAfterMs ?? 0)
  return { failed: [...first.failed, ...second.failed], ...(retryAfterMs > 0 ? { retryAfterMs } : {}) }
}
