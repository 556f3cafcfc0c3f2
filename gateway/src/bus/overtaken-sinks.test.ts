import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { overtakenKey } from '@llm-gateway/protocol'
import { type BusClient, connectBusClient } from '@llm-gateway/test/fake/bus-client'
import { startNatsServer } from '@llm-gateway/test/fake/nats-server'
import { Secret } from '../config/secret.ts'
import { connected, recordConnectionUnderTest } from './bus-under-test.ts'
import { OvertakenSinks } from './overtaken-sinks.ts'

// Rules: docs/reference/kept-records.md#sinks, docs/reference/kept-records.md#status

const DAY_MS = 24 * 60 * 60 * 1_000
const TIME = '2026-11-21T02:00:00.000Z'
const NOTE = { records: 200, since: TIME, last: TIME, created: 'a', to: 250 }
const NOTES = { nats2file: { records: 200, since: TIME, last: TIME } }

test('notes of sinks appear in the status for a day, and malformed notes are ignored', async (t) => {
  await using server = await startNatsServer({ jetstream: true })
  await using bus = await connectBusClient(server)
  await using connection = recordConnectionUnderTest(server)
  let nowMs = Date.parse(TIME)
  const sinks = new OvertakenSinks({ connection, stream: 'records_llm', now: () => nowMs, refreshMs: 20 })
  t.after(() => sinks.close())
  await connected(connection)
  assert.deepEqual(sinks.recent, {})
  await makeBucket(bus)
  await note(bus, { nats2file: NOTE, 'a b': NOTE, nats2s3: 'x' })
  await until(() => 'nats2file' in sinks.recent)
  assert.deepEqual(sinks.recent, NOTES)
  nowMs += DAY_MS
  assert.deepEqual(sinks.recent, {})
  nowMs -= DAY_MS
  for (const odd of ['{"nats2file":', 'x'.repeat(100_000), [], { nats2file: { ...NOTE, records: '200' } }]) {
    await note(bus, { nats2file: NOTE })
    await until(() => 'nats2file' in sinks.recent)
    await note(bus, odd)
    await until(() => !('nats2file' in sinks.recent))
  }
  // A note larger than the connection's limit changes neither the known notes nor the connection.
  await note(bus, 'x'.repeat(1024 * 1024))
  await sleep(200)
  await note(bus, { nats2file: NOTE })
  await until(() => 'nats2file' in sinks.recent)
  assert.deepEqual(
    connection.lines.entries.filter(({ msg }) => msg === 'bus disconnected'),
    [],
  )
  await bus.request('$JS.API.STREAM.DELETE.KV_sinks', Buffer.from(''), 60_000)
  await until(() => !('nats2file' in sinks.recent))
})

test('the last notes stay while the bus is away, and a bus that refuses the request is asked only once', async (t) => {
  await using server = await startNatsServer({ jetstream: true })
  await using bus = await connectBusClient(server)
  await makeBucket(bus)
  await note(bus, { nats2file: NOTE })
  await using connection = recordConnectionUnderTest(server)
  const options = { connection, stream: 'records_llm', now: () => Date.parse(TIME) }
  const sinks = new OvertakenSinks({ ...options, refreshMs: 20 })
  t.after(() => sinks.close())
  await until(() => 'nats2file' in sinks.recent)
  await server.kill()
  await until(() => !connection.connected)
  assert.deepEqual(sinks.recent, NOTES)

  const permissions = 'authorization { users: [{ user: u, password: p, permissions: { publish: "llm.>" } }] }'
  await using strict = await startNatsServer({ jetstream: true, token: undefined, extra: permissions })
  const user = { name: 'u', password: new Secret('p') }
  await using refused = recordConnectionUnderTest(strict, { user })
  const none = new OvertakenSinks({ ...options, connection: refused, refreshMs: 20 })
  t.after(() => none.close())
  const isRefusal = ({ msg }: { readonly msg: string }): boolean => msg === 'bus refused a subject'
  await refused.lines.waitFor(isRefusal)
  await sleep(200)
  assert.equal(refused.lines.entries.filter(isRefusal).length, 1)
  assert.deepEqual(none.recent, {})
})

async function makeBucket(bus: BusClient): Promise<void> {
  const config = { name: 'KV_sinks', subjects: ['$KV.sinks.>'], max_msgs_per_subject: 1 }
  await bus.request('$JS.API.STREAM.CREATE.KV_sinks', Buffer.from(JSON.stringify(config)), 60_000)
}

async function note(bus: BusClient, value: unknown): Promise<void> {
  const key = Buffer.from(overtakenKey('records_llm')).toString('base64url')
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  await bus.request(`$KV.sinks.${key}`, Buffer.from(text), 60_000)
}

async function until(isTrue: () => boolean): Promise<void> {
  for (const end = performance.now() + 60_000; !isTrue(); await sleep(10)) assert.ok(performance.now() < end)
}
