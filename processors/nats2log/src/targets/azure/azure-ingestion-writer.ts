import { recordRow } from '@llm-gateway/protocol'
import { createHttpTarget, type HttpOutcome, isRefusal } from '../http/http-target.ts'
import { attemptOf } from '../http/post-record.ts'
import { jsonArray } from '../http/record-bodies.ts'
import { mapInTurns } from '../map-in-turns.ts'
import type { Trust } from '../outbound-tls.ts'
import { splitBatch } from '../split-batch.ts'
import { type Attempt, DELIVERED, type SinkRecord, type Writer } from '../writer.ts'
import { azureRecord } from './azure-record.ts'
import { type AzureIdentity, AzureTokens } from './azure-tokens.ts'

export type AzureIngestionTarget = {
  /** The URL of the data collection endpoint, `https://<name>.<region>.ingest.monitor.azure.com`. */
  readonly url: URL
  /** The immutable id of the data collection rule, `dcr-…`. */
  readonly ruleId: string
  /** `Custom-<table>_CL`, as in the data collection rule. */
  readonly stream: string
  readonly identity: AzureIdentity
  readonly tls: Trust
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/** One call of the API takes 1 MB. */
const BATCH = { records: 500, bytes: 900_000 }
const MOST_BYTES = 1_000_000
/** A column of a table takes 64 KB. */
const MOST_RECORD_BYTES = 60_000
const HEAD_BYTES = 4_096
const TOO_LARGE: HttpOutcome = { kind: 'answered', status: 413, retryAfterMs: undefined, text: '' }

/**
 * Sends rows to a Log Analytics workspace by the Logs Ingestion API (2023-01-01), with a token of the sink's identity.
 */
export function createAzureIngestionWriter(options: AzureIngestionTarget): Writer {
  const { url, ruleId, stream, now } = options
  const target = createHttpTarget({ tls: options.tls, connections: 2, now })
  const place = new URL(`/dataCollectionRules/${ruleId}/streams/${stream}?api-version=2023-01-01`, url)
  const tokens = new AzureTokens(target, options)
  const write = async (records: readonly SinkRecord[]): Promise<Attempt> => {
    const rows = await mapInTurns(records, (record) => ({ bytes: azureRow(record, now()) }))
    const body = jsonArray(rows)
    const outcome = body.length > MOST_BYTES ? TOO_LARGE : await send(body)
    return isRefusal(outcome) && records.length > 1 ? await splitBatch(records, write) : attemptOf(outcome, records)
  }
  const send = async (body: Uint8Array): Promise<HttpOutcome> => {
    const token = await tokens.token()
    if (token.kind === 'failed') return { kind: 'failed', code: token.code }
    const headers = { Authorization: `Bearer ${token.value}`, 'Content-Type': 'application/json' }
    const outcome = await target.send({ url: place, headers, body })
    if (outcome.kind === 'answered' && outcome.status === 401) tokens.forget()
    return outcome
  }
  return {
    batch: BATCH,
    concurrency: 1,
    open: async () => undefined,
    write: async (records) => (records.length === 0 ? DELIVERED : await write(records)),
    close: target.close,
  }
}

function azureRow(record: SinkRecord, nowMs: number): Uint8Array {
  const row = recordRow(record.bytes)
  const columns = {
    TimeGenerated: row.time ?? new Date(nowMs).toISOString(),
    RecordId: record.id,
    SessionId: row.sessionId,
    TransactionId: row.transactionId,
    Router: row.router,
    Status: row.status,
    ErrorType: row.errorType,
    DurationMs: row.durationMs,
    Model: row.model,
    PromptTokens: row.usage.prompt,
    CompletionTokens: row.usage.completion,
    TotalTokens: row.usage.total,
  }
  const text = JSON.stringify(columns)
  return Buffer.concat([Buffer.from(`${text.slice(0, -1)},"Record":`), fitting(record.bytes), Buffer.from('}')])
}

/** Returns the record cut to the size of a column. */
function fitting(bytes: Uint8Array): Uint8Array {
  const cut = azureRecord(bytes)
  if (cut.length <= MOST_RECORD_BYTES) return cut
  const head = new TextDecoder().decode(bytes.subarray(0, HEAD_BYTES), { stream: true })
  return Buffer.from(JSON.stringify({ cut: true, bytes: bytes.length, head }))
}
