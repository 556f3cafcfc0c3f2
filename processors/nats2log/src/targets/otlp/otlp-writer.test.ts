import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTarget } from '../http/http-target-under-test.ts'
import { allFailed, DELIVERED, type SinkRecord } from '../writer.ts'
import { createOtlpWriter } from './otlp-writer.ts'

const TLS = { rejectUnauthorized: true, ca: [] }
const RECORD = {
  session_id: 's',
  transaction_id: 't',
  request: { gl_path: '/a/', ingress_method: 'POST' },
  response: { egress_status_code: 503, inbound_payload: { model: 'm', usage: { input_tokens: 3, output_tokens: 4 } } },
  ingress_egress_timer: { start: '2026-11-21T02:00:00.5Z', duration: 12 },
  error_type: 'provider_error',
}
const one: SinkRecord = { id: 'G-1-1', bytes: Buffer.from(JSON.stringify(RECORD)) }
const other: SinkRecord = { id: 'G-1-2', bytes: Buffer.from('{"n":2}') }

test('a record becomes a log record with attributes of the GenAI conventions', async (t) => {
  const target = await startTarget(t, () => ({ status: 200, body: '{"partialSuccess":{}}' }))
  const writer = createOtlpWriter(options(`${target.url}/otel/`))
  assert.deepEqual(await writer.write([one, other]), DELIVERED)
  const [seen] = target.seen
  assert.deepEqual(
    [seen?.url, seen?.headers['content-type'], seen?.headers.key],
    ['/otel/v1/logs', 'application/json', 'k'],
  )
  const [log, plain] = JSON.parse(String(seen?.body)).resourceLogs[0].scopeLogs[0].logRecords
  assert.deepEqual([log.timeUnixNano, log.severityText, plain.timeUnixNano], ['1795226400500000000', 'ERROR', '0'])
  const values = Object.fromEntries(
    log.attributes.map(({ key, value }: { key: string; value: object }) => [key, Object.values(value)[0]]),
  )
  assert.deepEqual(values, {
    'log.record.uid': 'G-1-1',
    'gen_ai.operation.name': 'chat',
    'gen_ai.response.model': 'm',
    'gen_ai.usage.input_tokens': '3',
    'gen_ai.usage.output_tokens': '4',
    'http.request.method': 'POST',
    'http.response.status_code': '503',
    'session.id': 's',
    'error.type': 'provider_error',
    'llm_gateway.transaction_id': 't',
    'llm_gateway.router': '/a/',
    'llm_gateway.duration_ms': '12',
    'llm_gateway.stream': false,
  })
  assert.deepEqual(JSON.parse(log.body.stringValue), RECORD)
  await writer.close()
})

test('a partly rejected batch is split until the rejected records are known', async (t) => {
  const target = await startTarget(t, ({ body }) => {
    const rejectedLogRecords = String(body).includes('G-1-2') ? 1 : 0
    return { status: 200, body: JSON.stringify({ partialSuccess: { rejectedLogRecords } }) }
  })
  const writer = createOtlpWriter(options(target.url))
  assert.deepEqual(await writer.write([one, other]), allFailed([other], { code: 'OTLP_REJECTED', again: false }))
  await writer.close()
})

test('half a surrogate pair in a name of a model is no part of the body: a receiver would refuse the whole batch', async (t) => {
  const target = await startTarget(t, () => ({ status: 200 }))
  const writer = createOtlpWriter(options(target.url))
  const record = { response: { inbound_payload: { model: 'm\ud83d' } } }
  await writer.write([{ bytes: Buffer.from(JSON.stringify(record)) }])
  assert.match(String(target.seen[0]?.body), /"stringValue":"m\ufffd"/)
  await writer.close()
})

test('a negative number of rejected records is none, and nothing is sent again', async (t) => {
  const target = await startTarget(t, () => ({ status: 200, body: '{"partialSuccess":{"rejectedLogRecords":"-3"}}' }))
  const writer = createOtlpWriter(options(target.url))
  assert.deepEqual(await writer.write([one, other]), DELIVERED)
  assert.equal(target.seen.length, 1)
  await writer.close()
})

function options(url: string) {
  return { url: new URL(url), headers: { key: 'k' }, serviceName: 'gateway', tls: TLS, now: Date.now }
}
