import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { type BusMessage, connectBusClient } from '@llm-gateway/test/fake/bus-client'
import { createAuthority } from '@llm-gateway/test/fake/certificates'
import { Journal } from '@llm-gateway/test/fake/journal'
import { type NatsServer, startNatsServer } from '@llm-gateway/test/fake/nats-server'
import { startTcpProxy } from '@llm-gateway/test/fake/tcp-proxy'
import { connected, disconnected, recordConnectionUnderTest, recordText } from './bus-under-test.ts'
import { createMessageHeads } from './message-head.ts'
import type { RecordMessage, TextPart } from './record-message.ts'
import { RecordPages } from './record-pages.ts'

// Rules: docs/reference/http.md#without-the-bus, docs/reference/configuration-rules.md#tls-of-the-bus

const SUBJECT = 'llm.gl.logger'
const MIB = 1024 * 1024
const pages = new RecordPages()
const message = (id: string, parts: readonly TextPart[]): RecordMessage =>
  pages.encode(createMessageHeads(SUBJECT)(id), recordText(...parts))

async function subscribeTo(
  server: Pick<NatsServer, 'address' | 'token'>,
  subject = SUBJECT,
): Promise<Journal<BusMessage> & AsyncDisposable> {
  const client = await connectBusClient(server)
  const messages = new Journal<BusMessage>()
  await client.subscribe(subject, (received) => messages.add(received))
  return Object.assign(messages, { [Symbol.asyncDispose]: () => client.close() })
}

test('small and large records arrive in order, byte for byte, each with its id', async () => {
  await using server = await startNatsServer({ token: '4k' })
  await using messages = await subscribeTo(server)
  await using connection = recordConnectionUnderTest(server)
  await connected(connection)
  assert.equal(connection.maxPayload, 32 * MIB)
  const sizes = [3, MIB, 10, 20_000, 0, 3 * MIB, 100, 16 * 1024, 1]
  const payloads = sizes.map((size) => randomBytes(size))
  payloads.forEach((payload, index) => {
    assert.equal(connection.publish(message(`id-${index}`, ['{"é":', payload, '}'])), true)
  })
  assert.equal(await connection.flush(), true)
  await messages.waitForCount(sizes.length)
  messages.entries.forEach((message, index) => {
    assert.equal(message.messageId, `id-${index}`)
    const expected = Buffer.concat([Buffer.from('{"é":'), payloads[index] ?? Buffer.alloc(0), Buffer.from('}')])
    assert.equal(expected.equals(message.bytes), true, `record ${index}`)
  })
})

test('records of one turn arrive as separate messages, adjacent or not, also on a non-ASCII subject', async () => {
  await using server = await startNatsServer()
  const subject = 'l\u010am.gé.logger'
  await using messages = await subscribeTo(server, subject)
  await using connection = recordConnectionUnderTest(server)
  await connected(connection)
  const texts = Array.from({ length: 2_000 }, (_, index) => `{"a":"${'ä'.repeat(index % 700)}"}`)
  const records = texts.map((text, index) => pages.encode(createMessageHeads(subject)(`id-${index}`), recordText(text)))
  for (const record of records) assert.equal(connection.publish(record), true)
  // The same records in reverse order: ranges that aren't adjacent are written separately.
  for (const record of records.toReversed()) assert.equal(connection.publish(record), true)
  assert.equal(await connection.flush(), true)
  await messages.waitForCount(4_000)
  assert.deepEqual(
    messages.entries.map(({ bytes }) => new TextDecoder().decode(bytes)),
    [...texts, ...texts.toReversed()],
  )
})

test('a message carries its Nats-Msg-Id, and is refused when headers and payload exceed max_payload', async () => {
  await using server = await startNatsServer({ maxPayload: 1_000 })
  await using messages = await subscribeTo(server)
  await using connection = recordConnectionUnderTest(server)
  await connected(connection)
  const room = 1_000 - 'NATS/1.0\r\nNats-Msg-Id: id-1\r\n\r\n'.length
  assert.equal(connection.publish(message('id-1', [new Uint8Array(room)])), true)
  assert.equal(connection.publish(message('id-2', [new Uint8Array(room + 1)])), false)
  assert.equal(await connection.flush(), true)
  await messages.waitForCount(1)
  assert.deepEqual(
    messages.entries.map((message) => message.messageId),
    ['id-1'],
  )
})

test('a refused token is logged once, by code and without the token', async () => {
  await using server = await startNatsServer({ token: 'the-right-one' })
  await using proxy = await startTcpProxy(server.port)
  await using connection = recordConnectionUnderTest({ ...server, port: proxy.port, token: 'planted-token' })
  const line = await connection.lines.waitFor((entry) => entry.msg === 'bus not available')
  assert.deepEqual(line.fields, { address: proxy.address, for: 'records', code: 'BUS_UNAUTHORIZED' })
  while (proxy.connections < 5) await new Promise((resolve) => setImmediate(resolve))
  assert.equal(connection.lines.total, 1)
  assert.equal(connection.connected, false)
  assert.equal(connection.publish(message('id-1', ['{}'])), false)
  assert.equal(await connection.flush(), false)
  assert.equal(JSON.stringify(connection.lines.entries).includes('planted-token'), false)
})

test('after a kill the bus is reconnected with its new limit, and a pending flush resolves with false', async () => {
  await using server = await startNatsServer({ maxPayload: 100_000 })
  await using smaller = await startNatsServer({ maxPayload: 5_000 })
  await using proxy = await startTcpProxy(server.port)
  await using connection = recordConnectionUnderTest({ ...server, port: proxy.port })
  await connected(connection)
  const record = message('id-1', ['x'.repeat(10_000)])
  assert.equal(connection.publish(record), true)
  proxy.hold()
  const flush = connection.flush()
  proxy.pointTo(smaller.port)
  proxy.cut()
  assert.equal(await flush, false)
  await disconnected(connection)
  proxy.resume()
  await connected(connection)
  assert.equal(connection.maxPayload, 5_000)
  assert.equal(connection.publish(record), false)
  proxy.pointTo(server.port)
  await smaller.kill('SIGKILL')
  await disconnected(connection)
  assert.equal(connection.maxPayload, 5_000)
  await connected(connection)
  assert.equal(connection.maxPayload, 100_000)
  const messages = connection.lines.entries.map(({ level, msg }) => `${level} ${msg}`)
  assert.deepEqual(new Set(messages), new Set(['INFO bus connected', 'WARN bus disconnected']))
})

test('a connection that is closed while it waits for readers ends at once', async () => {
  await using server = await startNatsServer()
  await using connection = recordConnectionUnderTest(server, { timings: { readersReturnMs: 600_000 } })
  await connected(connection)
  await server.stop()
  await disconnected(connection)
  await server.restart()
  await connection.lines.waitUntil((lines) => lines.filter(({ msg }) => msg === 'bus connected').length === 2)
  await connection.close()
  assert.equal(connection.connected, false)
})

test('a stopped bus gets few further bytes, is disconnected after two unanswered pings, and is reconnected later', async () => {
  await using server = await startNatsServer()
  const timings = { pingIntervalMs: 500, connectTimeoutMs: 2_000 }
  await using connection = recordConnectionUnderTest(server, { timings })
  await connected(connection)
  await server.kill('SIGSTOP')
  const record = message('id-1', [new Uint8Array(MIB)])
  let taken = 0
  while (taken < 100 && connection.publish(record)) taken++
  assert.ok(taken < 30, `${taken} MiB taken`)
  assert.equal(await connection.flush(), false)
  const line = await connection.lines.waitFor(({ msg }) => msg === 'bus disconnected')
  assert.equal(line.fields.code, 'BUS_STALE')
  const next = await connection.lines.waitFor(({ msg }) => msg === 'bus not available')
  assert.equal(next.fields.code, 'BUS_TIMEOUT')
  await server.kill('SIGCONT')
  await connected(connection)
  assert.equal(await connection.flush(), true)
})

test('PINGs of the server are answered, so that it keeps an idle connection', async () => {
  await using server = await startNatsServer({ extra: 'ping_interval: "1s"\nping_max: 2' })
  await using proxy = await startTcpProxy(server.port)
  await using connection = recordConnectionUnderTest({ ...server, port: proxy.port })
  await connected(connection)
  const before = proxy.bytesIn
  while (proxy.bytesIn < before + 4 * 'PONG\r\n'.length) await new Promise((resolve) => setTimeout(resolve, 10))
  assert.equal(await connection.flush(), true)
  assert.deepEqual(
    connection.lines.entries.map(({ msg }) => msg),
    ['bus connected'],
  )
})

test('a forbidden subject is logged once, and the connection stays open', async () => {
  const users =
    'authorization { users: [ { user: "a", password: "b", permissions: { publish: "elsewhere" } } ] }\nno_auth_user: "a"'
  await using server = await startNatsServer({ token: undefined, extra: users })
  await using connection = recordConnectionUnderTest(server)
  await connected(connection)
  for (const id of ['id-1', 'id-2']) connection.publish(message(id, ['{}']))
  assert.equal(await connection.flush(), true)
  const warnings = connection.lines.entries.filter(({ level }) => level === 'WARN')
  assert.deepEqual(
    warnings.map(({ msg, fields }) => [msg, fields.operation, fields.subject]),
    [['bus refused a subject', 'publish', SUBJECT]],
  )
})

test('the records’ connection verifies the bus’s certificate and sends its own', async () => {
  await using authority = await createAuthority()
  await using stranger = await createAuthority('another authority')
  const [own, client, otherName] = await Promise.all([
    authority.issue('server'),
    authority.issue('client'),
    authority.issue('other', { alternativeNames: ['DNS:elsewhere.example'] }),
  ])
  const tls = (files: typeof own): string =>
    `tls { cert_file: "${files.certificateFile}", key_file: "${files.privateKeyFile}", ca_file: "${authority.certificateFile}", verify: true }`
  await using server = await startNatsServer({ extra: tls(own) })
  await using misnamed = await startNatsServer({ extra: tls(otherName) })
  await using plain = await startNatsServer()
  const ours = { certFile: client.certificateFile, keyFile: client.privateKeyFile }
  const caFile = authority.certificateFile
  for (const hostname of ['127.0.0.1', 'localhost']) {
    await using connection = recordConnectionUnderTest({ ...server, hostname }, { tls: { ...ours, caFile } })
    await connected(connection)
    const record = message('id-1', ['{"a":', Buffer.alloc(2 * MIB, 'a'), '}'])
    assert.equal(connection.publish(record), true)
    assert.equal(await connection.flush(), true)
  }
  const refused = [
    { what: 'an unknown authority', at: server, tls: { ...ours, caFile: stranger.certificateFile } },
    { what: 'no certificate of ours', at: server, tls: { caFile } },
    { what: 'another name', at: misnamed, tls: { ...ours, caFile } },
    { what: 'no TLS at all', at: plain, tls: { ...ours, caFile } },
    { what: 'a missing file', at: server, tls: { ...ours, caFile: '/nowhere/ca.pem' } },
  ]
  for (const { what, at, tls: files } of refused) {
    await using connection = recordConnectionUnderTest({ ...at, hostname: 'localhost' }, { tls: files })
    const { fields } = await connection.lines.waitFor((line) => line.msg === 'bus not available')
    assert.equal(connection.connected, false, what)
    if (what !== 'no certificate of ours') assert.equal(fields.code, 'BUS_TLS', what)
  }
})
