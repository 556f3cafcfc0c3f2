import assert from 'node:assert/strict'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { createLogger } from '@llm-gateway/conf'
import { endpoints } from '@llm-gateway/gui-api'
import { connectBus } from '@llm-gateway/sdk'
import { startNatsServer } from '@llm-gateway/test/fake/nats-server'
import { startScene } from './fixture/interface-scene.ts'
import { RecordSource } from './transactions/record-source.ts'

const logger = createLogger({ service: 'test', write: () => undefined })

/** Starts a bus that keeps the records in a stream. */
async function startBus(records: readonly object[]) {
  const nats = await startNatsServer({ jetstream: true })
  const { hostname, port, token = '' } = nats
  const options = { address: { hostname, port }, credentials: { kind: 'token', token }, logger } as const
  const bus = await connectBus({ ...options, name: 'test' })
  assert.ok(bus)
  const stream = { name: 'records_llm', subject: 'llm.gl.logger', maxBytes: 128 * 1024 * 1024, maxAgeMs: 60 * 60_000 }
  assert.equal((await bus.streams.makeStream(stream)).kind, 'found')
  for (const record of records) bus.publish('llm.gl.logger', Buffer.from(JSON.stringify(record)))
  for (;;) {
    const state = await bus.streams.state('records_llm')
    if (state.kind === 'found' && state.value.last === records.length) break
  }
  return {
    nats,
    options,
    async [Symbol.asyncDispose]() {
      await bus.close()
      await nats[Symbol.asyncDispose]()
    },
  }
}

test('the history loads few large records at once and finds all of them', async () => {
  const payload = 'x'.repeat(5 * 1024 * 1024)
  const large = Array.from({ length: 9 }, (_, index) => ({
    session_id: `s${index}`,
    request: { ingress_payload: payload },
  }))
  await using kept = await startBus(large)
  const source = new RecordSource({ bus: kept.options, subject: 'llm.gl.logger', logger, file: async () => undefined })
  await source.start()
  const seen: string[] = []
  for (let at = 10; at > 1; ) {
    const { records, from } = await source.window(at, 1)
    assert.ok(records.reduce((sum, { bytes }) => sum + bytes.length, 0) <= 16 * 1024 * 1024)
    seen.push(...records.map(({ id }) => id))
    at = from
  }
  assert.deepEqual(
    seen,
    large.map((_, index) => `s${9 - index}`),
  )
  await source.close()
})

test('a history since a time continues where its first answer ended', async () => {
  const time = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()
  const old = { session_id: 'old', ingress_egress_timer: { start: time(180) } }
  const wanted = Array.from({ length: 5 }, (_, index) => ({
    session_id: `s${index}`,
    ingress_egress_timer: { start: time(5 - index) },
  }))
  await using kept = await startBus([old, ...wanted])
  await using scene = await startScene({ nats: kept.nats })
  const ids: (string | null)[] = []
  for (let before: string | null = ''; before !== null; ) {
    const rest = before === '' ? '' : `&before=${before}`
    const { json } = await scene.script('GET', `/api/v1/transactions?limit=2&since=${time(60)}${rest}`)
    const answer = endpoints.history.answer.parse(json)
    // The interface isn't connected to the bus yet.
    if (answer.source === 'recent') continue
    ids.push(...answer.transactions.map(({ session_id }) => session_id))
    before = answer.next
  }
  assert.deepEqual(ids, ['s4', 's3', 's2', 's1', 's0'])
})

test('without a stream the history reads the file of nats2file, newest first, and skips invalid lines', async () => {
  await using nats = await startNatsServer()
  await using scene = await startScene({ nats })
  const path = scene.live('records.jsonl')
  const sink = JSON.parse(await readFile(scene.live('nats2file_config.json'), 'utf8'))
  const config = { ...sink, file_writer: { ...sink.file_writer, filename: path } }
  await writeFile(scene.live('nats2file_config.json'), JSON.stringify(config))
  const record = (id: string, payload = 'x') =>
    JSON.stringify({ session_id: id, request: { gl_path: '/x/', ingress_payload: payload } })
  const many = Array.from({ length: 3_000 }, (_, index) => record(`s${index}`, 'x'.repeat(600)))
  const lines = [record('first'), '', 'no json', record('large', 'y'.repeat(5_000_000)), ...many]
  await writeFile(path, `${lines.join('\n')}\n${record('half-written').slice(0, 30)}`)
  const ids: string[] = []
  const sessions: (string | null)[] = []
  for (let before: string | null = ''; before !== null; ) {
    const rest = before === '' ? '' : `&before=${before}`
    const answer = endpoints.history.answer.parse(
      (await scene.script('GET', `/api/v1/transactions?limit=200${rest}`)).json,
    )
    assert.equal(answer.source, 'file')
    ids.push(...answer.transactions.map(({ id }) => id))
    sessions.push(...answer.transactions.map(({ session_id }) => session_id))
    before = answer.next
  }
  assert.deepEqual(sessions, [...many.map((_, index) => `s${2_999 - index}`), 'large', null, 'first'])
  const whole = await scene.script('GET', `/api/v1/transactions/${ids[1]}`)
  assert.equal(whole.json.record.session_id, 's2998')
  const one = await scene.script('GET', '/api/v1/transactions?session=s7')
  assert.deepEqual(
    one.json.transactions.map(({ id }: { id: string }) => id),
    [ids[2_992]],
  )
  // After a rotation the path leads to another file, so an old place is not one of its records.
  await rename(path, `${path}.1`)
  await writeFile(path, `${lines.join('\n')}\n`)
  assert.equal((await scene.script('GET', `/api/v1/transactions/${ids[1]}`)).json.error.code, 'NOT_FOUND')
  await rm(path)
  assert.equal((await scene.script('GET', '/api/v1/transactions')).json.source, 'recent')
})
