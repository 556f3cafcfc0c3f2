import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { getServers, setServers } from 'node:dns'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { connectBusClient } from '@llm-gateway/test/fake/bus-client'
import { createAuthority } from '@llm-gateway/test/fake/certificates'
import { freePort } from '@llm-gateway/test/fake/free-port'
import { Journal } from '@llm-gateway/test/fake/journal'
import { type NatsServer, startNatsServer } from '@llm-gateway/test/fake/nats-server'
import { headOf, manyNames, publishHead } from '@llm-gateway/test/fake/publish-head'
import { connect as connectLibrary } from 'nats'
import { journalLogger } from '../program/journal-logger-under-test.ts'
import type { BusMessage } from './bus.ts'
import { busOptions, type ProcessorEnvironment } from './bus-options.ts'
import { connectBus } from './nats-bus.ts'

// Rules: docs/reference/bus.md#connection, docs/reference/configuration-rules.md#tls-of-the-bus

const bytes = (text: string) => new TextEncoder().encode(text)
const text = (message: Uint8Array) => new TextDecoder().decode(message)

test('GATEWAY_HOST and NATS_TOKEN are enough to connect, publish and request', async () => {
  await using server = await startNatsServer()
  const { bus } = await openBus(environmentOf(server))
  await using outside = await connectBusClient(server)
  await outside.subscribe('echo', (message) => message.reply(message.bytes))
  assert.deepEqual(await bus.request('echo', bytes('hi'), 20_000), { kind: 'reply', bytes: Buffer.from('hi') })
  assert.deepEqual(await bus.request('nobody', bytes('hi'), 20_000), { kind: 'failed', error: 'no responders' })
  await outside.subscribe('silent', () => undefined)
  assert.deepEqual(await bus.request('silent', bytes('hi'), 50), { kind: 'failed', error: 'timeout' })
  const tooLarge = new Uint8Array(33 * 1024 * 1024)
  assert.deepEqual(await bus.request('echo', tooLarge, 20_000), { kind: 'failed', error: 'too large' })
  assert.equal(bus.publish('echo', tooLarge), false)
  await bus.close()
  assert.deepEqual(await bus.request('echo', bytes('hi'), 20_000), { kind: 'failed', error: 'disconnected' })
  assert.equal(bus.publish('echo', bytes('hi')), false)
})

test('a name of this machine is found without a DNS server, which may be away', async (t) => {
  await using server = await startNatsServer()
  const silent = createSocket('udp4').bind(0, '127.0.0.1')
  await once(silent, 'listening')
  const queries = new Journal<string>()
  silent.on('message', (query) => queries.add(query.toString('latin1')))
  const before = getServers()
  t.after(() => {
    setServers(before)
    silent.close()
  })
  setServers([`127.0.0.1:${silent.address().port}`])
  const { bus } = await openBus({ ...environmentOf(server), GATEWAY_HOST: `localhost:${server.port}` })
  await bus.close()
  assert.equal(queries.total, 0)
})

test('members of a queue group share the messages, and another group gets all of them', async () => {
  await using server = await startNatsServer()
  const { bus } = await openBus(environmentOf(server))
  const shared = new Journal<string>()
  const other = new Journal<string>()
  for (const member of ['a', 'b']) {
    await bus.subscribe({ subject: 's', queue: 'group', receive: () => shared.add(member) })
  }
  await bus.subscribe({ subject: 's', queue: 'other', receive: () => other.add('c') })
  await using outside = await connectBusClient(server)
  for (let count = 0; count < 100; count++) outside.publish('s', bytes('x'))
  await other.waitForCount(100)
  await outside.flush()
  await bus.request('flush', bytes(''), 1_000)
  assert.equal(shared.total, 100)
  assert.deepEqual(new Set(shared.entries), new Set(['a', 'b']))
  await bus.close()
})

test('a bus that is killed and comes back finds its subscribers again', async () => {
  await using server = await startNatsServer()
  const { bus, logged } = await openBus(environmentOf(server))
  const seen = new Journal<string>()
  await bus.subscribe({ subject: 's', queue: 'q', receive: (message) => seen.add(text(message.bytes)) })
  await server.kill('SIGKILL')
  await logged('bus disconnected')
  assert.equal(bus.connected, false)
  await server.restart()
  await logged('bus reconnected')
  await using outside = await connectBusClient(server)
  outside.publish('s', bytes('after'))
  assert.deepEqual(await seen.waitForCount(1), ['after'])
  await bus.close()
})

test('the first connection is waited for, and the reason is logged once', async () => {
  const port = await freePort()
  const { logger, lines, logged } = journalLogger()
  const waiting = connect({ GATEWAY_HOST: `127.0.0.1:${port}`, NATS_TOKEN: 'test-token' }, { logger })
  assert.deepEqual((await logged('bus not reachable')).fields, { code: 'CONNECTION_REFUSED' })
  await using server = await startNatsServer({ port })
  const bus = await waiting
  assert.equal(bus?.connected, true)
  assert.equal(server.port, port)
  assert.equal(lines.total, 1)
  await bus?.close()
})

test('a wrong token is logged by its code, tried again and never shown', async () => {
  await using server = await startNatsServer()
  const stop = new AbortController()
  const { logger, lines, logged } = journalLogger()
  const environment = { GATEWAY_HOST: server.address, NATS_TOKEN: 'planted-secret' }
  const waiting = connect(environment, { logger, signal: stop.signal })
  assert.deepEqual((await logged('bus not reachable')).fields, { code: 'AUTHORIZATION_VIOLATION' })
  stop.abort()
  assert.equal(await waiting, undefined)
  assert.doesNotMatch(JSON.stringify(lines.entries), /planted-secret/)
})

test('with its certificate a client connects to a bus over TLS; with a broken file it waits and logs', async () => {
  await using authority = await createAuthority()
  const own = await authority.issue('bus')
  const client = await authority.issue('client')
  const files = `cert_file: "${own.certificateFile}", key_file: "${own.privateKeyFile}", ca_file: "${authority.certificateFile}"`
  await using server = await startNatsServer({ extra: `tls { ${files}, verify: true }` })
  const environment = {
    ...environmentOf(server),
    NATS_CA_FILE: authority.certificateFile,
    NATS_CERT_FILE: client.certificateFile,
    NATS_KEY_FILE: client.privateKeyFile,
  }
  const { bus } = await openBus(environment)
  assert.equal(bus.publish('s', bytes('x')), true)
  await bus.close()
  const broken = `${authority.directory}/broken.pem`
  await writeFile(broken, 'not a certificate')
  const { logger, logged } = journalLogger()
  const stop = new AbortController()
  const waiting = connect({ ...environment, NATS_CERT_FILE: broken }, { logger, signal: stop.signal })
  await logged('bus not reachable')
  stop.abort()
  assert.equal(await waiting, undefined)
})

test('a bus without TLS is refused where TLS is configured', async () => {
  await using authority = await createAuthority()
  await using server = await startNatsServer()
  const { logger, logged } = journalLogger()
  const stop = new AbortController()
  const environment = { ...environmentOf(server), NATS_CA_FILE: authority.certificateFile }
  const waiting = connect(environment, { logger, signal: stop.signal })
  await logged('bus not reachable')
  stop.abort()
  assert.equal(await waiting, undefined)
})

test('a subscription the bus does not permit is logged and never counts as subscribed', async () => {
  const users = 'authorization { users: [{ user: "u", password: "p", permissions: { subscribe: "allowed" } }] }'
  await using server = await startNatsServer({ token: undefined, extra: users })
  const stop = new AbortController()
  const { logger, logged } = journalLogger()
  const environment = { GATEWAY_HOST: server.address, NATS_USER: 'u', NATS_PASSWORD: 'p' }
  const bus = await connect(environment, { logger, signal: stop.signal })
  assert.ok(bus)
  await bus.subscribe({ subject: 'allowed', queue: 'q', receive: () => undefined })
  let subscribed = false
  const denied = bus.subscribe({ subject: 'denied', queue: 'q', receive: () => undefined }).then(() => {
    subscribed = true
  })
  const line = await logged('bus refused the subscription')
  assert.deepEqual(line.fields, { code: 'PERMISSIONS_VIOLATION', subject: 'denied' })
  await bus.request('nobody', bytes(''), 500)
  assert.equal(subscribed, false)
  stop.abort()
  await denied
  await bus.close()
})

test('an exception of a subscriber is logged, and the next message arrives', async () => {
  await using server = await startNatsServer()
  const { bus, logged } = await openBus(environmentOf(server))
  const seen = new Journal<string>()
  const receive = (message: { readonly bytes: Uint8Array }): void => {
    if (text(message.bytes) === 'bad') throw new RangeError('secret text')
    seen.add(text(message.bytes))
  }
  await bus.subscribe({ subject: 's', queue: 'q', receive })
  await using outside = await connectBusClient(server)
  outside.publish('s', bytes('bad'))
  outside.publish('s', bytes('good'))
  assert.deepEqual(await seen.waitForCount(1), ['good'])
  assert.deepEqual((await logged('message could not be received from the bus')).fields, {
    code: 'RECEIVE',
    name: 'RangeError',
  })
  await bus.close()
})

// Rule: docs/reference/bus.md#request
test('a message with an invalid header name, or with very many names, is received like any other message', async () => {
  await using server = await startNatsServer()
  const { bus, lines } = await openBus(environmentOf(server))
  const seen = new Journal<readonly (string | undefined)[]>()
  const receive = (message: BusMessage): void => seen.add([text(message.bytes), message.header('Wanted')])
  await bus.subscribe({ subject: 's', queue: 'q', receive })
  const payload = bytes('{}')
  await publishHead(server, 's', { head: headOf('A B: x', 'Wanted: 1'), payload })
  await publishHead(server, 's', { head: headOf('Wanted: 2', manyNames(1_000_000)), payload })
  await publishHead(server, 's', { head: headOf('Other: 3'), payload })
  assert.deepEqual(await seen.waitForCount(3), [
    ['{}', '1'],
    ['{}', '2'],
    ['{}', undefined],
  ])
  assert.equal(lines.total, 0)
  await bus.close()
})

// Rule: docs/reference/bus.md#connection
test('a reply with an invalid header name, or with very many names, is a reply, and the next one arrives', async (t) => {
  await using server = await startNatsServer()
  const { bus } = await openBus(environmentOf(server))
  t.after(() => bus.close())
  const outside = await connectLibrary({ servers: server.address, ...(server.token && { token: server.token }) })
  t.after(() => outside.close())
  const heads = [headOf('A B: x'), headOf(manyNames(1_000_000)), headOf('Valid: x')]
  const answers = outside.subscribe('ask')
  await outside.flush()
  // Ends with the connection; a failure of it fails a request below.
  void (async () => {
    for await (const { reply = '' } of answers) {
      await publishHead(server, reply, { head: heads.shift() ?? headOf(), payload: bytes('hi') })
    }
  })()
  for (let count = 0; count < 3; count++) {
    const reply = await bus.request('ask', bytes(''), 20_000)
    assert.equal(reply.kind === 'reply' && text(reply.bytes), 'hi')
  }
  assert.deepEqual(await bus.request('nobody', bytes(''), 20_000), { kind: 'failed', error: 'no responders' })
})

function environmentOf(server: NatsServer): ProcessorEnvironment {
  return { GATEWAY_HOST: server.address, NATS_TOKEN: server.token }
}

async function connect(
  environment: ProcessorEnvironment,
  rest: Omit<Parameters<typeof connectBus>[0], 'address' | 'credentials' | 'name'>,
) {
  const options = busOptions(environment)
  assert.ok(options)
  return await connectBus({ ...options, ...rest, name: 'test', random: () => 0 })
}

async function openBus(environment: ProcessorEnvironment) {
  const { logger, logged, lines } = journalLogger()
  const bus = await connect(environment, { logger })
  assert.ok(bus)
  return { bus, logged, lines }
}
