import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkSinkConfig } from '@llm-gateway/conf'
import { journalLogger } from '@llm-gateway/sdk/journal-logger-under-test'
import { Journal } from '@llm-gateway/test/fake/journal'
import { type NatsServer, startNatsServer } from '@llm-gateway/test/fake/nats-server'
import { runSink } from '../../run/run-sink.ts'
import { publish } from '../../stream/publish-under-test.ts'
import { type SeenRequest, startTarget, type TargetAnswer } from './http-target-under-test.ts'

const SUBJECT = 'llm.gl.logger'
const COUNT = 300
const NUMBERS = Array.from({ length: COUNT }, (_, n) => n)
const SECRET = Buffer.from('planted secret').toString('base64')

for (const bulk of [false, true]) {
  test(`an Elasticsearch that throttles and whose answers get lost has each record once (bulk: ${bulk})`, async (t) => {
    await using server = await startNatsServer()
    const elastic = new Documents()
    const target = await startTarget(t, (request, index) => elastic.answer(request, index))
    const section = { url: target.url, index: 'calls', username: 'elastic', password: SECRET, bulk, document_ids: true }
    const sink = await startSink(server, { mode: 'elastic_writer', elastic_writer: section })
    await publish(server, SUBJECT, ids(NUMBERS))
    await publish(server, SUBJECT, [{ json: '{"n":"refused"}', id: 'GATEWAY1-1-refused' }])
    await elastic.untilCount(COUNT)
    assert.deepEqual(await sink.end(), { delivered: COUNT, failed: { HTTP_400: 1 }, repeats: 0 })
    assert.deepEqual([...elastic.numbers.values()].sort(compare), NUMBERS)
    assert.ok(elastic.conflicts > 0, 'at least one stored record was sent again')
    if (bulk) assert.ok(target.seen.length < COUNT / 3, `${target.seen.length} requests`)
    assert.doesNotMatch(sink.log(), new RegExp(SECRET))
  })
}

test('a Log Analytics workspace that throttles has each record, and neither secret nor token is in the log', async (t) => {
  await using server = await startNatsServer()
  const taken = new Journal<number>()
  const target = await startTarget(t, ({ url, body, headers }, index) => {
    if (url.includes('/oauth2/')) {
      assert.equal(new URLSearchParams(body.toString()).get('client_secret'), SECRET)
      return { status: 200, body: JSON.stringify({ access_token: 'planted-token', expires_in: 3600 }) }
    }
    assert.equal(url, '/dataCollectionRules/dcr-1/streams/Custom-Calls_CL?api-version=2023-01-01')
    if (headers.authorization !== 'Bearer planted-token') return { status: 401 }
    if (index % 2 === 0) return { status: 429, headers: { 'Retry-After': '0' } }
    for (const row of JSON.parse(body.toString())) {
      assert.ok(row.TimeGenerated.length > 0 && row.RecordId === `GATEWAY1-1-${row.Record.n}`)
      taken.add(row.Record.n)
    }
    return { status: 204 }
  })
  const names = { rule_id: 'dcr-1', stream: 'Custom-Calls_CL', tenant_id: 't', client_id: 'c', client_secret: SECRET }
  const section = { url: target.url, authority: target.url, ...names }
  const mode = 'azure_logs_ingestion_writer'
  const sink = await startSink(server, { mode, [mode]: section })
  await publish(server, SUBJECT, ids(NUMBERS))
  await taken.waitForCount(COUNT)
  assert.deepEqual(await sink.end(), { delivered: COUNT, failed: {}, repeats: 0 })
  assert.deepEqual([...taken.entries].sort(compare), NUMBERS)
  for (const secret of [SECRET, 'planted-token']) assert.ok(!sink.log().includes(secret))
})

test('a managed identity asks the metadata service of its machine for a token and caches the token', async (t) => {
  await using server = await startNatsServer()
  const taken = new Journal<number>()
  const asked: string[] = []
  const target = await startTarget(t, ({ method, url, body, headers }) => {
    if (url.startsWith('/metadata/')) {
      asked.push(`${method} ${url}`)
      // The metadata service requires this header, which a forged request of a web page can't have.
      if (headers.metadata !== 'true') return { status: 400 }
      // The metadata service also answers 404 while a container is new.
      if (asked.length === 1) return { status: 404 }
      // The metadata service writes numbers as texts.
      return { status: 200, body: JSON.stringify({ access_token: 'planted-token', expires_in: '86399' }) }
    }
    if (headers.authorization !== 'Bearer planted-token') return { status: 401 }
    for (const row of JSON.parse(body.toString())) taken.add(row.Record.n)
    return { status: 204 }
  })
  const names = { rule_id: 'dcr-1', stream: 'Custom-Calls_CL', identity: 'managed', client_id: 'c-1' }
  const mode = 'azure_logs_ingestion_writer'
  const sink = await startSink(server, { mode, [mode]: { url: target.url, identity_url: target.url, ...names } })
  await publish(server, SUBJECT, ids(NUMBERS))
  await taken.waitForCount(COUNT)
  assert.deepEqual(await sink.end(), { delivered: COUNT, failed: {}, repeats: 0 })
  const resource = encodeURIComponent('https://monitor.azure.com/')
  const url = `/metadata/identity/oauth2/token?api-version=2018-02-01&resource=${resource}&client_id=c-1`
  assert.deepEqual(asked, [`GET ${url}`, `GET ${url}`])
  assert.ok(!sink.log().includes('planted-token'))
})

/** An index that throttles every fifth request and loses the answer of every fifth one after storing its documents. */
class Documents {
  readonly numbers = new Map<string, number>()
  conflicts = 0
  readonly #journal = new Journal<number>()

  async untilCount(count: number): Promise<void> {
    await this.#journal.waitForCount(count)
  }

  answer({ url, body }: SeenRequest, index: number): TargetAnswer {
    if (index % 5 === 1) return { status: 429 }
    const lines = body.toString().trimEnd().split('\n')
    if (!url.includes('_bulk')) {
      const status = this.#create(/_doc\/([^?]+)\?op_type=create$/.exec(url)?.[1] ?? '', lines[0] ?? '')
      return { status: index % 5 === 0 ? 0 : status }
    }
    const items = lines.flatMap((line, n) => {
      if (n % 2 === 1) return []
      return [{ create: { status: this.#create(JSON.parse(line).create._id, lines[n + 1] ?? '') } }]
    })
    return index % 5 === 0 ? { status: 0 } : { status: 200, body: JSON.stringify({ items }) }
  }

  #create(id: string, json: string): number {
    const { n } = JSON.parse(json)
    if (typeof n !== 'number') return 400
    if (this.numbers.has(id)) this.conflicts += 1
    if (this.numbers.has(id)) return 409
    this.numbers.set(id, n)
    this.#journal.add(n)
    return 201
  }
}

function ids(numbers: readonly number[]) {
  return numbers.map((n) => ({ json: `{"n":${n}}`, id: `GATEWAY1-1-${n}` }))
}

function compare(a: number, b: number): number {
  return a - b
}

async function startSink(server: NatsServer, file: object) {
  const service_bus = { topic_exact_logger: SUBJECT, hostname: server.address, token: server.token }
  const text = JSON.stringify({ ...file, service_bus })
  const check = checkSinkConfig(Buffer.from(text), { environment: {} })
  assert.ok(check.kind === 'checked', JSON.stringify(check))
  const { logger, lines, logged } = journalLogger()
  const stop = new AbortController()
  const program = { service: 'nats2log', environment: {}, logger, now: Date.now, signal: stop.signal }
  const ended = runSink({ ...program, config: check.config })
  await logged('sink initialized')
  const end = async (): Promise<unknown> => {
    stop.abort()
    assert.equal(await ended, 0)
    return lines.entries.findLast(({ message }) => message === 'records written')?.fields
  }
  return { end, log: () => JSON.stringify(lines.entries) }
}
