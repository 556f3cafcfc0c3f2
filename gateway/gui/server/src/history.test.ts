import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLogger } from '@llm-gateway/conf'
import { endpoints } from '@llm-gateway/gui-api'
import { connectBus } from '@llm-gateway/sdk'
import { startNatsServer } from '@llm-gateway/test/fake/nats-server'
import { startScene } from './fixture/interface-scene.ts'
import { RecordSource } from './transactions/record-source.ts'

const logger = createLogger({ service: 'test', write: () => undefined })

/** A bus that keeps a record of each payload size. */
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

test('the history holds few of large records at once, and finds them all', async () => {
  const payload = 'x'.repeat(5 * 1024 * 1024)
  const large = Array.from({ length: 9 }, (_, index) => ({
    session_id: `s${index}`,
    request: { ingress_payload: payload },
  }))
  await using kept = await startBus(large)
  const source = new RecordSource({ bus: kept.options, subject: 'llm.gl.logger', logger })
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

test('a history since a time goes on where its first answer ended', async () => {
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
    // The interface isn't connected yet.
    if (answer.source === 'recent') continue
    ids.push(...answer.transactions.map(({ session_id }) => session_id))
    before = answer.next
  }
  assert.deepEqual(ids, ['s4', 's3', 's2', 's1', 's0'])
})
