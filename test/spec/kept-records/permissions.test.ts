import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { overtakenKey, SINKS_BUCKET, withGap } from '@llm-gateway/protocol'
import { busOptions, connectBus, LivenessProbe } from '@llm-gateway/sdk/bus-liveness'
import { connectBusClient } from '../../fake/bus-client.ts'
import { startGateway } from '../../fake/gateway.ts'
import { type NatsServer, startNatsServer } from '../../fake/nats-server.ts'
import { openRecordStream } from '../../fake/record-stream.ts'

// Rules: docs/reference/kept-records.md#stream, docs/reference/kept-records.md#sinks,
// docs/reference/configuration-rules.md#files-of-the-other-programs

const NAMES = ['gateway', 'processors', 'sinks', 'readers'] as const

/** Returns the shipped file's commented block of users, each with its name as password. */
function usersBlock(): string {
  const text = readFileSync(new URL('../../../conf/nats-server.conf', import.meta.url), 'utf8')
  const [, block = ''] = /^(# authorization \{\n(?:#.*\n)+?# \}\n)/m.exec(text) ?? []
  assert.ok(block.includes('users: ['))
  return block.replaceAll(/^# ?/gm, '').replaceAll(/\$([A-Z]+)_BUS_PASSWORD/g, (_, name: string) => name.toLowerCase())
}

const asUser = (server: NatsServer, name: (typeof NAMES)[number]) => ({
  address: server.address,
  token: undefined,
  user: { name, password: name },
})

test('with the shipped users a gateway makes the stream and keeps its records in it', async () => {
  await using server = await startNatsServer({ jetstream: true, token: undefined, extra: usersBlock() })
  await using gateway = await startGateway({
    nats: { address: server.address, token: undefined },
    env: { NATS_USER: 'gateway', NATS_PASSWORD: 'gateway' },
  })
  await gateway.logs.waitFor(({ msg }) => msg === 'bus keeps records')
  await (await fetch(`${gateway.url}/echo/`, { method: 'POST', body: '{}' })).arrayBuffer()
  await using sinks = await openRecordStream(asUser(server, 'sinks'))
  await sinks.waitForCount(1)
  assert.deepEqual(
    gateway.logs.entries.filter(({ msg }) => msg === 'bus refused a subject'),
    [],
  )
})

test('with the shipped users a gateway reports the records that a sink missed', async () => {
  await using server = await startNatsServer({ jetstream: true, token: undefined, extra: usersBlock() })
  const options = busOptions({ GATEWAY_HOST: server.address, NATS_USER: 'sinks', NATS_PASSWORD: 'sinks' })
  assert.ok(options)
  const bus = await connectBus({ ...options, name: 'nats2file', logger: SILENT })
  assert.ok(bus)
  const bucket = bus.keyValue({ bucket: SINKS_BUCKET, maxBytes: 1024 * 1024, storage: 'file' })
  const gap = { sink: 'nats2file', created: 'a', from: 1, to: 7, count: 7 }
  const notes = Object.fromEntries(withGap(new Map(), gap, Date.now()))
  const written = await bucket.update(overtakenKey('records_llm'), Buffer.from(JSON.stringify(notes)), 0)
  assert.equal(written.kind, 'written')
  await using gateway = await startGateway({
    nats: { address: server.address, token: undefined },
    env: { NATS_USER: 'gateway', NATS_PASSWORD: 'gateway' },
    admin: true,
  })
  const status = async () => JSON.parse(await (await fetch(`${gateway.adminUrl}/status`)).text()).records
  for (const end = performance.now() + 60_000; ; ) {
    const { overtaken } = await status()
    if (overtaken?.nats2file?.records === 7) break
    assert.ok(performance.now() < end, JSON.stringify(await status()))
  }
  await bus.close()
})

const SILENT = { info: () => undefined, warn: () => undefined, error: () => undefined }
const BODIES: readonly (readonly [string, object | undefined])[] = [
  ['$JS.API.STREAM.PURGE.records_llm', undefined],
  ['$JS.API.STREAM.DELETE.records_llm', undefined],
  ['$JS.API.STREAM.INFO.records_llm', undefined],
  ['$JS.API.STREAM.UPDATE.records_llm', { name: 'records_llm', subjects: ['llm.gl.logger'], max_msgs: 1 }],
  ['$JS.API.STREAM.SNAPSHOT.records_llm', { deliver_subject: '_INBOX.s' }],
  ['$JS.API.STREAM.MSG.GET.records_llm', { seq: 1 }],
  ['$JS.API.STREAM.MSG.DELETE.records_llm', { seq: 1 }],
  ['$JS.API.DIRECT.GET.records_llm', { seq: 1 }],
  ['$JS.API.CONSUMER.CREATE.records_llm', { stream_name: 'records_llm', config: { ack_policy: 'none' } }],
  ['$JS.API.CONSUMER.CREATE.records_llm.c', { stream_name: 'records_llm', config: { ack_policy: 'none', name: 'c' } }],
  ['$JS.API.CONSUMER.DURABLE.CREATE.records_llm.c', { stream_name: 'records_llm', config: { durable_name: 'c' } }],
  ['$JS.API.CONSUMER.MSG.NEXT.records_llm.sink', { batch: 1 }],
  ['$JS.API.CONSUMER.DELETE.records_llm.sink', undefined],
  ['$JS.API.CONSUMER.NAMES.records_llm', undefined],
  ['llm.gl.logger', {}],
  // The stream with which the supervisor checks that the bus stores messages.
  ['$JS.API.STREAM.DELETE.life_llm', undefined],
  ['llm.gl.life', {}],
  // The key-value bucket of the sinks.
  ['$KV.sinks.a', {}],
  ['$JS.API.STREAM.DELETE.KV_sinks', undefined],
]

test('with the shipped users the supervisor, with the gateway’s user, checks whether the bus stores records', async () => {
  await using server = await startNatsServer({ jetstream: true, token: undefined, extra: usersBlock() })
  const options = busOptions({ GATEWAY_HOST: server.address, NATS_USER: 'gateway', NATS_PASSWORD: 'gateway' })
  assert.ok(options)
  const bus = await connectBus({ ...options, name: 'ginit', logger: SILENT })
  const life = new LivenessProbe({ subject: 'llm.gl.logger', bus: () => bus })
  assert.deepEqual(await life.probe(), { kind: 'acknowledged' })
  await bus?.close()
})

test('a processor can’t publish records, nor read, change or remove stored records', async () => {
  await using server = await startNatsServer({ jetstream: true, token: undefined, extra: usersBlock() })
  await using gateway = await openRecordStream(asUser(server, 'gateway'))
  await gateway.request('CREATE', { name: 'records_llm', subjects: ['llm.gl.logger'], allow_direct: true })
  await using keeper = await connectBusClient(asUser(server, 'gateway'))
  await keeper.request('llm.gl.logger', Buffer.from('{"a":1}'))
  for (const [subject, body] of BODIES) {
    await using processor = await connectBusClient(asUser(server, 'processors'))
    const asked = processor.request(subject, Buffer.from(body === undefined ? '' : JSON.stringify(body)), 60_000)
    await assert.rejects(asked, /Permissions Violation for Publish/i, subject)
  }
  await using processor = await connectBusClient(asUser(server, 'processors'))
  const received: string[] = []
  await processor.subscribe('llm.gl.>', ({ subject }) => received.push(subject))
  await processor.subscribe('llm.gl.logger', ({ subject }) => received.push(subject)).catch(() => undefined)
  await keeper.request('llm.gl.logger', Buffer.from('{"a":2}'))
  keeper.publish('llm.gl.custom.x', Buffer.from('{}'))
  await keeper.flush()
  await processor.flush()
  assert.ok(!received.includes('llm.gl.logger'), received.join(', '))
  assert.equal((await gateway.info())?.state.messages, 2)
})

test('a processor keeps its key-value state with the shipped users', async () => {
  await using server = await startNatsServer({ jetstream: true, token: undefined, extra: usersBlock() })
  await using bucket = await openRecordStream(asUser(server, 'processors'), 'KV_llm_broker')
  const made = await bucket.request('CREATE', { name: 'KV_llm_broker', subjects: ['$KV.llm_broker.>'] })
  assert.equal(made.error, undefined)
  await using processor = await connectBusClient(asUser(server, 'processors'))
  const stored = await processor.request('$KV.llm_broker.a', Buffer.from('1'))
  assert.equal(JSON.parse(Buffer.from(stored).toString()).seq, 1)
})
