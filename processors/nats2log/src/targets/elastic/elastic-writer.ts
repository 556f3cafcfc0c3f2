import type { SinkConfig } from '@llm-gateway/conf'
import { createHttpTarget, isSuccess } from '../http/http-target.ts'
import { attemptOf, postRecord } from '../http/post-record.ts'
import type { Trust } from '../outbound-tls.ts'
import { type Attempt, DELIVERED, type SinkRecord, type Writer } from '../writer.ts'
import { ALREADY_THERE, decodeBulk, documentId, encodeBulk } from './elastic-bulk.ts'

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

  const postOne = (record: SinkRecord): Promise<Attempt> => {
    const id = options.documentIds ? documentId(record) : undefined
    const path = id === undefined ? '_doc' : `_doc/${encodeURIComponent(id)}?op_type=create`
    const url = new URL(`${base}/${path}`)
    return postRecord(record, { target, url, headers, alsoDelivered: id === undefined ? [] : [ALREADY_THERE] })
  }
  const postBulk = async (records: readonly SinkRecord[]): Promise<Attempt> => {
    const outcome = await target.post({ url: bulkUrl, headers: bulkHeaders, body: encodeBulk(records) })
    if (outcome.kind === 'failed' || !isSuccess(outcome.status)) return attemptOf(outcome, records)
    return decodeBulk(outcome.text, records)
  }
  return {
    batch,
    concurrency,
    open: async () => undefined,
    write: async (records) => {
      const [first] = records
      if (first === undefined) return DELIVERED
      return records.length === 1 ? await postOne(first) : await postBulk(records)
    },
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
