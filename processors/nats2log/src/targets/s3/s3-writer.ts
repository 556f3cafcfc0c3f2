import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { recordRow } from '@llm-gateway/protocol'
import { createHttpTarget, type HttpOutcome, isSuccess } from '../http/http-target.ts'
import { attemptOf } from '../http/post-record.ts'
import { jsonLines } from '../http/record-bodies.ts'
import type { Trust } from '../outbound-tls.ts'
import { splitBatch } from '../split-batch.ts'
import { type Attempt, DELIVERED, type SinkRecord, type Writer } from '../writer.ts'
import { type AwsKey, awsHeaders } from './aws-signature.ts'
import { ObjectNames } from './object-names.ts'

export type S3Target = {
  /** The URL of the server: `https://s3.eu-central-1.amazonaws.com`. */
  readonly url: URL
  readonly bucket: string
  /** The text before the hour in an object's name: `records/`. */
  readonly prefix: string
  readonly region: string
  readonly key: AwsKey
  readonly tls: Trust
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

const BATCH = { records: 5_000, bytes: 32 * 1024 * 1024 }
/** A server in between may take only small requests. */
const TOO_LARGE = 413
const compress = promisify(gzip)

/** Puts a batch into one object for each hour of its calls: `<prefix>2026/11/22/09/<name>.ndjson.gz`. */
export function createS3Writer(options: S3Target): Writer {
  const { url, bucket, prefix, region, key, now } = options
  const target = createHttpTarget({ tls: options.tls, connections: 1, now })
  const base = `${url.origin}${url.pathname.replace(/\/$/, '')}/${bucket}/${escaped(prefix)}`

  const names = new ObjectNames()
  /** The part in which a record of a divided batch was tried last; the parts of a try again are the same. */
  const parts = new WeakMap<SinkRecord, readonly SinkRecord[]>()

  const send = async (method: 'PUT' | 'HEAD', name: string, body: Uint8Array): Promise<HttpOutcome> => {
    const object = new URL(`${name}.ndjson.gz`)
    const headers = awsHeaders({ method, url: object, body, region, nowMs: now() }, key)
    return await target.send({ method, url: object, headers, body })
  }
  /** Returns whether an object that was refused is there; gives its name up where the key may not look. */
  const isStored = async (first: string): Promise<boolean> => {
    const outcome = await send('HEAD', names.nameFor(first), new Uint8Array())
    if (outcome.kind === 'failed') return false
    if (outcome.status !== 404 && !isSuccess(outcome.status)) names.giveUp(first)
    return isSuccess(outcome.status)
  }
  const put = async (hour: string, records: readonly SinkRecord[]): Promise<Attempt> => {
    const first = `${base}${hour}/${nameOf(records)}`
    const outcome = await send('PUT', names.nameFor(first), await compress(jsonLines(records)))
    const attempt = attemptOf(outcome, records)
    const status = outcome.kind === 'answered' ? outcome.status : 0
    // An object that is too large isn't stored, so its parts repeat none. The same batch has the same parts.
    if (status === TOO_LARGE && records.length > 1) return await splitBatch(records, (part) => putPart(hour, part))
    if (status === TOO_LARGE) return attempt
    const isDelivered = isSuccess(status) || (names.answered(first, status) && (await isStored(first)))
    if (isDelivered) {
      names.stored(first)
      return DELIVERED
    }
    // No other failure comes from a record's content, so each is tried again until somebody corrects the bucket or the
    // key.
    return { ...attempt, failed: attempt.failed.map((failure) => ({ ...failure, again: true })) }
  }
  const putPart = async (hour: string, part: readonly SinkRecord[]): Promise<Attempt> => {
    for (const record of part) parts.set(record, part)
    return await put(hour, part)
  }
  return {
    batch: BATCH,
    concurrency: 1,
    // Other parts of a batch have other names, and would repeat an object that is stored although its answer was lost.
    inOrder: true,
    open: async () => undefined,
    write: async (records) => {
      if (records.length === 0) return DELIVERED
      const attempts: Attempt[] = []
      for (const [hour, some] of byHour(records, now())) {
        for (const object of Map.groupBy(some, (record) => parts.get(record)).values()) {
          attempts.push(await put(hour, object))
        }
      }
      const retryAfterMs = Math.max(...attempts.map((attempt) => attempt.retryAfterMs ?? 0))
      return { failed: attempts.flatMap(({ failed }) => failed), ...(retryAfterMs > 0 ? { retryAfterMs } : {}) }
    },
    close: target.close,
  }
}

/** Escapes the characters that a URL leaves as they are and a signature doesn't. */
function escaped(prefix: string): string {
  return prefix.replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
}

function byHour(records: readonly SinkRecord[], nowMs: number): ReadonlyMap<string, readonly SinkRecord[]> {
  const hours = new Map<string, SinkRecord[]>()
  for (const record of records) {
    const time = Date.parse(recordRow(record.bytes).time ?? '')
    const hour = new Date(Number.isNaN(time) ? nowMs : time).toISOString().slice(0, 13).replaceAll(/[-T]/g, '/')
    const some = hours.get(hour)
    if (some === undefined) hours.set(hour, [record])
    else some.push(record)
  }
  return hours
}

/** Returns a name made of the records' ids, so that a repeated try replaces the same object. */
function nameOf(records: readonly SinkRecord[]): string {
  const hash = createHash('sha256')
  for (const { id = '', bytes } of records) hash.update(id === '' ? bytes : `${id}\n`)
  return hash.digest('hex').slice(0, 32)
}
