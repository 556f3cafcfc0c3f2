import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { journalLogger } from '@llm-gateway/sdk/journal-logger-under-test'
import { type AzureTarget, createAzureWriter } from './azure-writer.ts'
import { type SeenRequest, startTarget, type TargetAnswer } from './http-target-under-test.ts'
import { allFailed, DELIVERED, type SinkRecord } from './writer.ts'

const WORKSPACE = '11111111-2222-3333-4444-555555555555'
const KEY = Buffer.from('a planted key of the workspace').toString('base64')
const NOW = Date.UTC(2026, 10, 21, 2, 0, 0)
/** The service's own limit. */
const QUARTER_MS = 15 * 60_000
const record = (value: unknown): SinkRecord => ({ bytes: new TextEncoder().encode(JSON.stringify(value)) })
const posted = ({ body }: SeenRequest): unknown => JSON.parse(body.toString())

test('wire 1.2: records are posted as a JSON array to the Data Collector API, signed with the shared key', async (t) => {
  const { seen, writer } = await started(t, () => ({ status: 200 }))
  assert.deepEqual(await writer.write([record({ n: 1 }), record({ n: 'ü' })]), DELIVERED)
  const [request] = seen
  assert.ok(request)
  assert.equal(`${request.method} ${request.url}`, 'POST /api/logs?api-version=2016-04-01')
  assert.deepEqual(posted(request), [{ n: 1 }, { n: 'ü' }])
  const { authorization, 'content-type': type, 'log-type': table, 'x-ms-date': date } = request.headers
  assert.deepEqual([type, table, date], ['application/json', 'LlmGateway', 'Sat, 21 Nov 2026 02:00:00 GMT'])
  // Written out by hand: what the service computes from what it sees.
  const signed = `POST\n${request.body.length}\napplication/json\nx-ms-date:${date}\n/api/logs`
  const signature = createHmac('sha256', Buffer.from(KEY, 'base64')).update(signed, 'utf8').digest('base64')
  assert.equal(authorization, `SharedKey ${WORKSPACE}:${signature}`)
  assert.equal(request.headers['time-generated-field'], undefined)
})

test('throttled or away, the service is tried again when it says; what it refuses is lost with its status', async (t) => {
  const statuses = [429, 503, 500, 400, 403, 404]
  const { writer } = await started(t, (_, index) => {
    return { status: statuses[index] ?? 200, headers: { 'Retry-After': '9', Date: new Date(NOW).toUTCString() } }
  })
  const records = [record({ n: 1 }), record({ n: 2 })]
  for (const status of statuses) {
    const failed = allFailed(records, { code: `HTTP_${status}`, again: status === 429 || status >= 500 })
    assert.deepEqual(await writer.write(records), { ...failed, retryAfterMs: 9_000 })
  }
})

test('a clock that is wrong is corrected by the service’s own, at once and for all that follows, and the log says so', async (t) => {
  let ours = NOW
  const { logger, lines } = journalLogger()
  const service = (request: SeenRequest) => answerAt(request, NOW + 3_600_000)
  const { seen, writer } = await started(t, service, { logger, now: () => ours })
  for (let n = 1; n <= 3; n++) assert.deepEqual(await writer.write([record({ n })]), DELIVERED)
  assert.equal(seen.length, 4)
  assert.equal(seen[3]?.headers['x-ms-date'], 'Sat, 21 Nov 2026 03:00:00 GMT')
  assert.deepEqual(lines.entries, [
    {
      level: 'WARN',
      message: 'clock differs from that of the target',
      fields: { code: 'CLOCK_SKEW', offset_ms: 3_600_000 },
    },
  ])
  // Somebody sets our clock right: the correction is then what is wrong.
  ours = NOW + 3_600_000
  assert.deepEqual(await writer.write([record({ n: 4 })]), DELIVERED)
  assert.deepEqual(lines.entries[1]?.fields, { code: 'CLOCK_SKEW', offset_ms: 0 })
})

test('a key that is wrong is no clock that is wrong: it is asked once', async (t) => {
  const answer = { status: 403, headers: { Date: new Date(NOW + 60_000).toUTCString() } }
  const { seen, writer } = await started(t, () => answer)
  const one = record({ n: 1 })
  assert.deepEqual(await writer.write([one]), allFailed([one], { code: 'HTTP_403', again: false }))
  assert.equal(seen.length, 1)
  const late = { status: 403, headers: { Date: new Date(NOW + 3_600_000).toUTCString() } }
  const both = await started(t, () => late)
  assert.deepEqual(await both.writer.write([one]), allFailed([one], { code: 'HTTP_403', again: false }))
  assert.equal(both.seen.length, 2)
})

test('a record that the service can’t read costs no other record of its batch', async (t) => {
  const { writer, seen } = await started(t, (request) => {
    return isJson(request) ? { status: 200 } : { status: 400, body: '{"Error":"InvalidDataFormat","Message":"x"}' }
  })
  const broken = { bytes: new TextEncoder().encode('{"n":') }
  const records = [record({ n: 0 }), record({ n: 1 }), broken, record({ n: 3 }), record({ n: 4 })]
  assert.deepEqual(await writer.write(records), allFailed([broken], { code: 'HTTP_400', again: false }))
  assert.deepEqual(
    seen.filter(isJson).flatMap((request) => posted(request)),
    [{ n: 0 }, { n: 1 }, { n: 3 }, { n: 4 }],
  )
})

test('a post is never larger than the 30 MB that the service takes; a record that is, is lost', async (t) => {
  const { seen, writer } = await started(t, () => ({ status: 200 }))
  const fields = Object.fromEntries(Array.from({ length: 600 }, (_, n) => [`field_${n}`, 'x'.repeat(31_000)]))
  const large = record(fields)
  const half = record(Object.fromEntries(Object.entries(fields).slice(0, 500)))
  assert.deepEqual(await writer.write([large, half]), DELIVERED)
  assert.deepEqual(seen.length, 2)
  assert.ok(seen.every(({ body }) => body.length < 30_000_000))
  const huge = record({ a: fields, b: fields })
  assert.deepEqual(await writer.write([huge]), allFailed([huge], { code: 'HTTP_413', again: false }))
  assert.deepEqual(seen.length, 2)
})

test('time_generated_field adds the time a call came in and names it to the service', async (t) => {
  const { seen, writer } = await started(t, () => ({ status: 200 }), { timeField: 'time_generated' })
  const timer = { start: '2026-11-21T02:00:00.123456789Z', stop: '…', duration: 1 }
  await writer.write([record({ ingress_egress_timer: timer }), record({ n: 2 })])
  assert.deepEqual(seen.flatMap(posted), [
    { ingress_egress_timer: timer, time_generated: '2026-11-21T02:00:00.123Z' },
    { n: 2 },
  ])
  assert.equal(seen[0]?.headers['time-generated-field'], 'time_generated')
})

/** The service at a time of its own: it refuses a signature that is older or newer than a quarter of an hour. */
function answerAt({ headers }: SeenRequest, now: number): TargetAnswer {
  const signedAt = Date.parse(String(headers['x-ms-date']))
  const status = Math.abs(signedAt - now) > QUARTER_MS ? 403 : 200
  return { status, headers: { Date: new Date(now).toUTCString() } }
}

function isJson(request: SeenRequest): boolean {
  try {
    posted(request)
    return true
  } catch {
    return false
  }
}

async function started(
  t: TestContext,
  rule: (request: SeenRequest, index: number) => TargetAnswer,
  some: Partial<AzureTarget> = {},
) {
  const target = await startTarget(t, rule)
  const writer = createAzureWriter({
    url: new URL(target.url),
    workspaceId: WORKSPACE,
    sharedKey: KEY,
    logType: 'LlmGateway',
    timeField: '',
    tls: { rejectUnauthorized: true, ca: [] },
    logger: journalLogger().logger,
    now: () => NOW,
    ...some,
  })
  t.after(() => writer.close())
  return { seen: target.seen, writer }
}
