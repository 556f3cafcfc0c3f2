import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type BusClient, busOptions, connectBus, serveProcessor } from '@llm-gateway/sdk'
import { journalLogger } from '@llm-gateway/sdk/journal-logger-under-test'
import { connectBusClient } from '../../fake/bus-client.ts'
import { type BusPair, startBusPair } from '../../fake/bus-pair.ts'
import { type Certificate, createAuthority } from '../../fake/certificates.ts'
import { startGateway } from '../../fake/gateway.ts'
import { Journal } from '../../fake/journal.ts'

// Rules: docs/reference/configuration-rules.md#tls-of-the-bus, docs/reference/kept-records.md#leaf-nodes

const LOGGER = 'llm.gl.logger'
const encode = (value: unknown) => Buffer.from(JSON.stringify(value))
const text = (bytes: Uint8Array) => Buffer.from(bytes).toString()

let pair: BusPair
let client: Certificate

before(async () => {
  pair = await startBusPair()
  // The certificate has no address and no DNS name: a client's address is not checked.
  client = await pair.authority.issue('processor', { alternativeNames: ['email:processor@example.com'] })
})
after(() => pair.close())

test('a processor with a certificate on the TLS side answers calls of the plain side', async () => {
  await using inner = await connectBusClient(pair.inner)
  await using outer = await outside()
  const answer = (fields: ReadonlyMap<string, unknown>) => ({ seen: fields.get('n') })
  const { logger } = journalLogger()
  const processor = await serveProcessor({ bus: outer.bus, subject: 'llm.gl.custom.outside', logger, answer })
  await assertCrossesBus(inner, 'llm.gl.custom.outside')
  assert.equal(text(await inner.request('llm.gl.custom.outside', encode({ n: 7 }))), '{"seen":7}')
  await processor.drain()
})

test('"no responders" crosses the two servers in both directions, without a wait', async () => {
  await using inner = await connectBusClient(pair.inner)
  await using outer = await outside()
  const nobody = 'llm.gl.custom.nobody'
  await assert.rejects(inner.request(nobody, encode({}), 60_000), { code: '503' })
  assert.deepEqual(await outer.bus.request(nobody, encode({}), 60_000), { kind: 'failed', error: 'no responders' })
})

test('records and calls of a gateway on the plain side reach readers and processors on the TLS side', async () => {
  await using outer = await outside()
  const records = new Journal<string>()
  await outer.bus.subscribe({ subject: LOGGER, queue: 'reader', receive: ({ bytes }) => records.add(text(bytes)) })
  const answer = () => ({ counted: 3 })
  const { logger } = journalLogger()
  const processor = await serveProcessor({ bus: outer.bus, subject: 'llm.gl.custom.count', logger, answer })
  const entry = { name: 'count', service_bus_topic: 'llm.gl.custom.count', timeout: 20_000, required: true }
  const row = { ...entry, input_fields_include: ['gl_path'], output_fields_write: ['counted'] }
  await using gateway = await startGateway({ nats: pair.inner, config: { request: { processors: [[row]] } } })
  await gateway.logs.waitUntil((lines) => lines.filter(({ msg }) => msg === 'bus connected').length >= 2)
  {
    await using inner = await connectBusClient(pair.inner)
    await assertCrossesBus(inner, 'llm.gl.custom.count')
  }
  // Above the bus's default of 1 MB: both servers accept all messages of the gateway.
  const body = JSON.stringify({ text: 'x'.repeat(3 * 1024 * 1024) })
  const answered = await fetch(`${gateway.url}/echo/`, { method: 'POST', body })
  assert.equal(answered.status, 200)
  await answered.text()
  const record = JSON.parse(await records.waitFor(() => true))
  assert.equal(record.request.counted, 3)
  assert.equal(record.request.ingress_payload.text.length, 3 * 1024 * 1024)
  await processor.drain()
})

test('a reader on the TLS side pulls records of the stream and acknowledges them', async () => {
  await using outer = await outside()
  await using beside = await connect({ GATEWAY_HOST: pair.inner.address, NATS_TOKEN: pair.inner.token })
  const stream = 'records_leaf'
  const subject = 'leaf.gl.logger'
  await beside.bus.streams.makeStream({ name: stream, subject, maxBytes: 1024 * 1024, maxAgeMs: 600_000 })
  for (const n of [1, 2, 3]) await beside.bus.streams.keep(subject, encode(n), {})
  const { streams } = outer.bus
  const made = await streams.makeConsumer(stream, { start: { kind: 'beginning' }, name: 'reader' })
  assert.deepEqual(made, { kind: 'found', value: 'reader' })
  const records = new Journal<number>()
  const pull = streams.pull({
    stream,
    consumer: 'reader',
    messages: 3,
    bytes: 1024 * 1024,
    waitMs: 60_000,
    receive: (message) => {
      message.acknowledge()
      records.add(JSON.parse(text(message.bytes)))
    },
  })
  assert.equal(await pull.ended, 'full')
  assert.deepEqual(records.entries, [1, 2, 3])
  await acknowledged(beside.bus, { stream, floor: 3 })
})

test('clients of both sides share key-value state: they write, read, compare and watch it', async () => {
  await using outer = await outside()
  await using beside = await connect({ GATEWAY_HOST: pair.inner.address, NATS_TOKEN: pair.inner.token })
  const options = { bucket: 'llm_shared', maxBytes: 1024 * 1024, storage: 'file' } as const
  const far = outer.bus.keyValue(options)
  const near = beside.bus.keyValue(options)
  const noticed = new Journal<string>()
  const watch = far.watch((key, entry) => noticed.add(`${key}=${entry === undefined ? '' : text(entry.value)}`))
  await watch.ready
  const written = await far.put('pool/a', encode(1))
  assert.equal(written.kind, 'written')
  // Each value is awaited, since the watch may skip the first of two quick changes.
  await noticed.waitFor((line) => line === 'pool/a=1')
  const read = await near.get('pool/a')
  assert.ok(read.kind === 'found')
  assert.equal(text(read.entry.value), '1')
  assert.equal((await near.update('pool/a', encode(2), read.entry.revision)).kind, 'written')
  assert.deepEqual(await far.update('pool/a', encode(3), read.entry.revision), { kind: 'conflict' })
  await noticed.waitFor((line) => line === 'pool/a=2')
  const back = await far.get('pool/a')
  assert.ok(back.kind === 'found')
  assert.equal(text(back.entry.value), '2')
  assert.equal((await far.delete('pool/a')).kind, 'written')
  assert.deepEqual(await near.get('pool/a'), { kind: 'missing' })
  await noticed.waitFor((line) => line === 'pool/a=')
  assert.deepEqual(noticed.entries, ['pool/a=1', 'pool/a=2', 'pool/a='])
  await watch.close()
})

test('a client without a certificate, with a certificate of another authority, or without the token is refused', async () => {
  await using stranger = await createAuthority('stranger')
  const forged = await stranger.issue('processor')
  const certificate = { NATS_CERT_FILE: client.certificateFile, NATS_KEY_FILE: client.privateKeyFile }
  const cases = [
    ['no certificate', { NATS_CERT_FILE: '', NATS_KEY_FILE: '' }],
    ['another authority', { NATS_CERT_FILE: forged.certificateFile, NATS_KEY_FILE: forged.privateKeyFile }],
    ['no token', { ...certificate, NATS_TOKEN: '' }],
    ['another token', { ...certificate, NATS_TOKEN: 'guessed' }],
    ['no trust in the server', { ...certificate, NATS_CA_FILE: stranger.certificateFile }],
  ] as const
  const refusals = cases.map(async ([name, environment]) => {
    const stop = new AbortController()
    const { logger, logged } = journalLogger()
    const connecting = connectBus({
      ...optionsOutside({ ...environment }),
      name: 'refused',
      logger,
      signal: stop.signal,
    })
    await logged('bus not reachable')
    stop.abort()
    assert.equal(await connecting, undefined, name)
  })
  await Promise.all(refusals)
})

test('clients of the TLS side reach the plain side again after its server was away', async () => {
  await using outer = await outside()
  const { logger } = journalLogger()
  const subject = 'llm.gl.custom.again'
  const processor = await serveProcessor({ bus: outer.bus, subject, logger, answer: () => ({ n: 1 }) })
  await pair.restartInner()
  await using inner = await connectBusClient(pair.inner)
  await assertCrossesBus(inner, subject)
  assert.equal(text(await inner.request(subject, encode({}))), '{"n":1}')
  await processor.drain()
})

/**
 * Returns the connection options of an outside processor from its environment
 * (docs/reference/environment-variables.md#processors-and-sinks).
 */
function optionsOutside(environment: Readonly<Record<string, string>>) {
  const options = busOptions({
    GATEWAY_HOST: pair.outer.address,
    NATS_TOKEN: pair.outer.token,
    NATS_CA_FILE: pair.authority.certificateFile,
    ...environment,
  })
  assert.ok(options)
  return options
}

async function outside() {
  return await connect({ NATS_CERT_FILE: client.certificateFile, NATS_KEY_FILE: client.privateKeyFile })
}

async function connect(environment: Readonly<Record<string, string | undefined>>) {
  const given = Object.fromEntries(Object.entries(environment).map(([name, value = '']) => [name, value]))
  const options = given.GATEWAY_HOST === undefined ? optionsOutside(given) : busOptions(given)
  assert.ok(options)
  const { logger } = journalLogger()
  const bus: BusClient | undefined = await connectBus({ ...options, name: 'test', logger })
  assert.ok(bus)
  return { bus, [Symbol.asyncDispose]: () => bus.close() }
}

/** Waits until the consumer `reader` of a stream has acknowledgements up to a sequence. */
async function acknowledged(
  { streams }: BusClient,
  { stream, floor }: { readonly stream: string; readonly floor: number },
): Promise<void> {
  const end = performance.now() + 60_000
  for (;;) {
    const state = await streams.consumer(stream, 'reader')
    if (state.kind === 'found' && state.value.floor === floor) return
    assert.ok(performance.now() < end, JSON.stringify(state))
  }
}

/** Waits until a subscription has crossed to the other server, which takes a moment. */
async function assertCrossesBus(inner: Awaited<ReturnType<typeof connectBusClient>>, subject: string): Promise<void> {
  const end = performance.now() + 60_000
  for (;;) {
    assert.ok(performance.now() < end, `nobody answers ${subject}`)
    const code = await inner.request(subject, encode({})).then(
      () => undefined,
      (error: unknown) => (error instanceof Error && 'code' in error ? error.code : 'unknown'),
    )
    if (code !== '503') return
  }
}
