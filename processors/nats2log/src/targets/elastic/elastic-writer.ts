import type { SinkConfig } from '@llm-gateway/conf'
import { createHttpTarget, isRefusal, isSuccess } from '../http/http-target.ts'
import { attemptOf } from '../http/post-record.ts'
import type { Trust } from '../outbound-tls.ts'
import { splitBatch } from '../split-batch.ts'
import { type Attempt, allFailed, DELIVERED, type SinkRecord, type Writer } from '../writer.ts'
import { ALREADY_THERE, answerObject, decodeBulk, documentId, encodeBulk } from './elastic-bulk.ts'

export type ElasticTarget = {
  /** The URL of the server, with its base path. */
  readonly url: URL
  readonly index: string
  /** The value of Authorization; undefined: no such header. */
  readonly authorization: string | undefined
  /** True: waiting records are sent in one request to `_bulk`. False: each record is sent to `_doc`. */
  readonly bulk: boolean
  /** True: the Nats-Msg-Id becomes the document's id, so a repeated try makes no duplicate. */
  readonly documentIds: boolean
  readonly tls: Trust
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

const SINGLE = { concurrency: 8, batch: { records: 1, bytes: 0 } }
/** The server's documentation advises a few megabytes; its own limit is 100 MB. */
const BULK = { concurrency: 2, batch: { records: 1_000, bytes: 5 * 1024 * 1024 } }

/**
 * Makes a writer for Elasticsearch or a store with the same protocol. The writer posts each record to `/<index>/_doc`,
 * or a batch to `/<index>/_bulk`.
 */
export function createElasticWriter(options: ElasticTarget): Writer {
  const { batch, concurrency } = options.bulk ? BULK : SINGLE
  const target = createHttpTarget({ tls: options.tls, connections: concurrency, now: options.now })
  const base = `${options.url.origin}${options.url.pathname.replace(/\/$/, '')}/${encodeURIComponent(options.index)}`
  const bulkUrl = new URL(`${base}/_bulk?filter_path=errors,items.*.status`)
  const authorization = options.authorization === undefined ? {} : { Authorization: options.authorization }
  const headers = { ...authorization, 'Content-Type': 'application/json' }
  const bulkHeaders = { ...authorization, 'Content-Type': 'application/x-ndjson' }

  const postOne = async (record: SinkRecord): Promise<Attempt> => {
    const id = options.documentIds ? documentId(record) : undefined
    const path = id === undefined ? '_doc' : `_doc/${encodeURIComponent(id)}?op_type=create`
    const url = new URL(`${base}/${path}`)
    const outcome = await target.send({ url, headers, body: record.bytes })
    if (outcome.kind === 'failed') return attemptOf(outcome, [record])
    if (outcome.status === ALREADY_THERE && id !== undefined) return DELIVERED
    // A login page of a proxy has the status 200 too.
    const isForeign = isSuccess(outcome.status) && outcome.text !== '' && answerObject(outcome.text) === undefined
    return isForeign ? allFailed([record], { code: 'DOC_ANSWER', again: true }) : attemptOf(outcome, [record])
  }
  const postBulk = async (records: readonly SinkRecord[]): Promise<Attempt> => {
    const body = encodeBulk(records, { documentIds: options.documentIds })
    const outcome = await target.send({ url: bulkUrl, headers: bulkHeaders, body })
    // The request may be too large, also for a proxy in between, or have a part that the server can't read.
    if (isRefusal(outcome)) return await splitBatch(records, write)
    if (outcome.kind === 'failed' || !isSuccess(outcome.status)) return attemptOf(outcome, records)
    return decodeBulk(outcome.text, records)
  }
  const write = async (records: readonly SinkRecord[]): Promise<Attempt> => {
    const [first] = records
    if (first === undefined) return DELIVERED
    return records.length === 1 ? await postOne(first) : await postBulk(records)
  }
  return {
    batch,
    concurrency,
    open: async () => undefined,
    write,
    close: target.close,
  }
}

type ElasticCredentials = Pick<NonNullable<SinkConfig['elastic_writer']>, 'api_key' | 'username' | 'password'>

/** Returns the value of Authorization: an API key, else user and password; undefined when neither is set. */
export function elasticAuthorization({ api_key, username, password }: ElasticCredentials): string | undefined {
  if (api_key !== '') return `ApiKey ${api_key}`
  if (username === '') return undefined
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
}
