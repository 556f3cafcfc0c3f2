import { isJsonObject, type RecordRow, recordRow } from '@llm-gateway/protocol'
import { createHttpTarget, type HttpOutcome, isRefusal } from '../http/http-target.ts'
import { attemptOf } from '../http/post-record.ts'
import { jsonArray } from '../http/record-bodies.ts'
import { mapInTurns } from '../map-in-turns.ts'
import type { Trust } from '../outbound-tls.ts'
import { splitBatch } from '../split-batch.ts'
import { type Attempt, allFailed, DELIVERED, type SinkRecord, type Writer } from '../writer.ts'

export type OtlpTarget = {
  /** The URL of the receiver, without `/v1/logs`. */
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  /** `service.name` of the resource. */
  readonly serviceName: string
  readonly tls: Trust
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/** A collector takes bodies of up to 20 MiB. */
const BATCH = { records: 500, bytes: 4 * 1024 * 1024 }
const INFO = 9
const ERROR = 17

/**
 * Sends log records by OTLP over HTTP in JSON (opentelemetry-proto, logs/v1), with the attribute names of the GenAI
 * conventions.
 */
export function createOtlpWriter(options: OtlpTarget): Writer {
  const target = createHttpTarget({ tls: options.tls, connections: 1, now: options.now })
  const url = new URL(`${options.url.origin}${options.url.pathname.replace(/\/$/, '')}/v1/logs`)
  const headers = { ...options.headers, 'Content-Type': 'application/json' }
  const write = async (records: readonly SinkRecord[]): Promise<Attempt> => {
    const outcome = await target.send({ url, headers, body: await encode(records, options.serviceName) })
    const rejected = rejectedOf(outcome)
    if (!isRefusal(outcome) && rejected === 0) return attemptOf(outcome, records)
    // The receiver doesn't say which records it rejected. A record sent twice has the same `log.record.uid`.
    if (records.length > 1) return await splitBatch(records, write)
    return rejected > 0 ? allFailed(records, { code: 'OTLP_REJECTED', again: false }) : attemptOf(outcome, records)
  }
  return {
    batch: BATCH,
    concurrency: 1,
    open: async () => undefined,
    write: async (records) => (records.length === 0 ? DELIVERED : await write(records)),
    close: target.close,
  }
}

function rejectedOf(outcome: HttpOutcome): number {
  if (outcome.kind === 'failed' || outcome.status !== 200) return 0
  try {
    const answer: unknown = JSON.parse(outcome.text)
    const partial = isJsonObject(answer) ? answer.partialSuccess : undefined
    return isJsonObject(partial) ? Math.max(0, Number(partial.rejectedLogRecords ?? 0) || 0) : 0
  } catch {
    return 0 // A success with an unreadable body is still a success.
  }
}

async function encode(records: readonly SinkRecord[], serviceName: string): Promise<Uint8Array> {
  const resource = JSON.stringify({ attributes: attributes({ 'service.name': serviceName }) })
  const logs = await mapInTurns(records, (record) => Buffer.from(JSON.stringify(logRecord(record))))
  const scope = `{"scope":{"name":"llm-gateway"},"logRecords":`
  const beginning = Buffer.from(`{"resourceLogs":[{"resource":${resource},"scopeLogs":[${scope}`)
  return Buffer.concat([beginning, jsonArray(logs.map((bytes) => ({ bytes }))), Buffer.from('}]}]}')])
}

function logRecord(record: SinkRecord): object {
  const row = recordRow(record.bytes)
  const isError = row.errorType !== undefined || (row.status ?? 0) >= 400
  return {
    timeUnixNano: unixNano(row.time),
    severityNumber: isError ? ERROR : INFO,
    severityText: isError ? 'ERROR' : 'INFO',
    eventName: 'gen_ai.client.inference.operation.details',
    attributes: attributes(namesOf(row, record)),
    body: { stringValue: new TextDecoder().decode(record.bytes) },
  }
}

function namesOf(row: RecordRow, { id }: SinkRecord): Readonly<Record<string, unknown>> {
  return {
    'log.record.uid': id,
    'gen_ai.operation.name': 'chat',
    'gen_ai.response.model': row.model,
    'gen_ai.usage.input_tokens': row.usage.prompt,
    'gen_ai.usage.output_tokens': row.usage.completion,
    'http.request.method': row.method,
    'http.response.status_code': row.status,
    'session.id': row.sessionId,
    'error.type': row.errorType,
    'llm_gateway.transaction_id': row.transactionId,
    'llm_gateway.router': row.router,
    'llm_gateway.duration_ms': row.durationMs,
    'llm_gateway.first_byte_ms': row.firstByteMs,
    'llm_gateway.stream': row.stream,
  }
}

function attributes(values: Readonly<Record<string, unknown>>): readonly object[] {
  return Object.entries(values).flatMap(([key, value]) => {
    const typed = anyValue(value)
    return typed === undefined ? [] : [{ key, value: typed }]
  })
}

function anyValue(value: unknown): object | undefined {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  // OTLP's JSON writes 64-bit integers as strings.
  return typeof value === 'number' ? { intValue: String(value) } : undefined
}

/**
 * Converts RFC 3339 with up to nine digits to nanoseconds since the epoch, as a string; `0` when the time is unknown.
 */
function unixNano(time: string | undefined): string {
  if (time === undefined) return '0'
  const seconds = Math.floor(Date.parse(time) / 1_000)
  const [, fraction = ''] = /\.(\d{1,9})/.exec(time) ?? []
  return `${seconds}${fraction.padEnd(9, '0')}`
}
