import type { SinkConfig } from '@llm-gateway/conf'
import type { Trust } from '../outbound-tls.ts'
import { splitBatch } from '../split-batch.ts'
import { type Attempt, allFailed, DELIVERED, type SinkRecord, type Writer } from '../writer.ts'
import { createHttpTarget, isRefusal } from './http-target.ts'
import { isJson } from './json-check.ts'
import { attemptOf, postRecord } from './post-record.ts'
import { jsonArray, jsonLines } from './record-bodies.ts'

export type RestTarget = {
  readonly url: URL
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly tls: Trust
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** The format of a body with several records; `none`: one record per body. */
  readonly format?: 'none' | 'ndjson' | 'array'
}

type BatchTarget = Required<Omit<RestTarget, 'headers'>> & { readonly headers: Record<string, string | string[]> }

/** Requests under way at the same time; they start in the order of the records and may arrive in another order. */
const CONCURRENCY = 8

/** The largest body of several records; a single record may be larger. */
const BATCH = { records: 500, bytes: 8 * 1024 * 1024 }
const CONTENT_TYPES = { none: 'application/json', array: 'application/json', ndjson: 'application/x-ndjson' } as const

/** Posts each record, or a batch in one body; any 2xx is a delivery. */
export function createRestWriter({ url, headers: configured, tls, now, format = 'none' }: RestTarget): Writer {
  const headers = headerList(configured, CONTENT_TYPES[format])
  if (format !== 'none') return createBatchWriter({ url, headers, format, tls, now })
  const target = createHttpTarget({ tls, connections: CONCURRENCY, now })
  return {
    batch: { records: 1, bytes: 0 },
    concurrency: CONCURRENCY,
    open: async () => undefined,
    write: async ([record]) => (record === undefined ? DELIVERED : await postRecord(record, { url, headers, target })),
    close: target.close,
  }
}

/**
 * Makes a writer of batches. A refused body is sent again in halves, so that only the faulty record becomes a dead
 * letter.
 */
function createBatchWriter({ url, headers, format, tls, now }: BatchTarget): Writer {
  const target = createHttpTarget({ tls, connections: 1, now })
  const encode = format === 'array' ? jsonArray : jsonLines
  const write = async (records: readonly SinkRecord[]): Promise<Attempt> => {
    if (records.length === 0) return DELIVERED
    const outcome = await target.send({ url, headers, body: encode(records) })
    if (!isRefusal(outcome) || records.length === 1) return attemptOf(outcome, records)
    return await splitBatch(records, write)
  }
  return {
    batch: BATCH,
    concurrency: 1,
    open: async () => undefined,
    write: format === 'array' ? (records) => writeJson(records, write) : write,
    close: target.close,
  }
}

/** Leaves out records that aren't JSON: they would break the whole array, and not every target answers 400 to that. */
async function writeJson(
  records: readonly SinkRecord[],
  write: (records: readonly SinkRecord[]) => Promise<Attempt>,
): Promise<Attempt> {
  const judged: { readonly record: SinkRecord; readonly fits: boolean }[] = []
  for (const record of records) judged.push({ record, fits: await isJson(record.bytes) })
  const attempt = await write(judged.filter(({ fits }) => fits).map(({ record }) => record))
  const others = judged.filter(({ fits }) => !fits).map(({ record }) => record)
  return { ...attempt, failed: [...allFailed(others, { code: 'NOT_JSON', again: false }).failed, ...attempt.failed] }
}

/** Returns the configured headers, with a content type unless they have one. */
function headerList(configured: RestTarget['headers'], type: string): Record<string, string | string[]> {
  const named = Object.entries(configured).map(([name, values]) => {
    return [name, typeof values === 'string' ? values : [...values]] as const
  })
  const typed = named.some(([name]) => name.toLowerCase() === 'content-type')
  return { ...(typed ? {} : { 'Content-Type': type }), ...Object.fromEntries(named) }
}

type RestApiWriter = NonNullable<SinkConfig['rest_api_writer']>

/**
 * Joins `url`, `port` (which overrides the url's own) and `endpoint` with one slash; undefined when the address isn't
 * http(s).
 */
export function restUrl({ url, port, endpoint }: Pick<RestApiWriter, 'url' | 'port' | 'endpoint'>): URL | undefined {
  const base = URL.parse(url)
  if (base === null || (base.protocol !== 'http:' && base.protocol !== 'https:')) return undefined
  if (port !== undefined && port > 0) base.port = String(port)
  const path = base.pathname.replace(/\/$/, '')
  const rest = endpoint.replace(/^\//, '')
  return URL.parse(rest === '' ? base.href : `${base.origin}${path}/${rest}`) ?? undefined
}
