import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { test } from 'node:test'
import { Journal } from '@llm-gateway/test/fake/journal'
import { connected, recordConnectionUnderTest, recordText, silentServer } from './bus-under-test.ts'
import { createMessageHeads } from './message-head.ts'
import { RecordPages } from './record-pages.ts'

const INFO = 'INFO {"server_id":"x","max_payload":1000,"headers":true}\r\n'

type Scripted = {
  readonly port: number
  readonly received: Journal<string>
  readonly sockets: Set<Socket>
} & AsyncDisposable

/** Starts a server that sends a test's text on connecting and in answer to the client's lines. */
async function scriptedServer(greeting: string | Buffer, answer: (received: string) => string): Promise<Scripted> {
  const received = new Journal<string>()
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => sockets.delete(socket))
    socket.on('data', (bytes: Buffer) => {
      received.add(bytes.toString())
      socket.write(answer(bytes.toString()))
    })
    socket.write(greeting)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no TCP address')
  const close = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy()
    server.close()
    await once(server, 'close')
  }
  return { port: address.port, received, sockets, [Symbol.asyncDispose]: close }
}

const pong = (received: string): string => (received.includes('PING\r\n') ? 'PONG\r\n' : '')
const at = (server: { readonly port: number }) => ({ hostname: '127.0.0.1', port: server.port, token: undefined })

test('a server that isn’t a bus is disconnected at once, with a code', async () => {
  const greetings: readonly (readonly [string | Buffer, string])[] = [
    ['HTTP/1.1 400 Bad Request\r\n\r\n', 'BUS_FAILED'],
    [Buffer.alloc(1024 * 1024, 0x80), 'BUS_FAILED'],
    ['INFO {"max_payload":1000}\r\n', 'BUS_FAILED'],
    ["-ERR 'Authorization Violation'\r\n", 'BUS_UNAUTHORIZED'],
  ]
  for (const [greeting, code] of greetings) {
    await using server = await scriptedServer(greeting, () => '')
    await using connection = recordConnectionUnderTest(at(server))
    const { msg, fields } = await connection.lines.waitForCount(1).then(([line]) => line ?? assert.fail())
    assert.deepEqual([msg, fields.code], ['bus not available', code])
  }
})

test('a line without an end, garbage and an error after the handshake end the connection', async () => {
  const cases: readonly (readonly [string, string])[] = [
    ['x'.repeat(300 * 1024), 'BUS_FAILED'],
    ['\u0000\u0001garbage\r\n', 'BUS_FAILED'],
    ["-ERR 'Maximum Payload Violation'\r\n", 'BUS_MAX_PAYLOAD'],
  ]
  for (const [text, code] of cases) {
    await using server = await scriptedServer(INFO, pong)
    await using connection = recordConnectionUnderTest(at(server))
    await connected(connection)
    for (const socket of server.sockets) socket.write(text)
    const { fields } = await connection.lines.waitFor(({ msg }) => msg === 'bus disconnected')
    assert.equal(fields.code, code)
  }
})

test('a later INFO changes the limit at once, and a malformed INFO ends the connection', async () => {
  await using server = await scriptedServer(INFO, pong)
  await using connection = recordConnectionUnderTest(at(server))
  await connected(connection)
  assert.equal(connection.maxPayload, 1_000)
  const send = (text: string): void => {
    for (const socket of server.sockets) socket.write(text)
  }
  send('INFO {"ldm":true,"connect_urls":["127.0.0.1:1"]}\r\n')
  assert.equal(await connection.flush(), true)
  assert.equal(connection.maxPayload, 1_000)
  send('INFO {"max_payload":50,"headers":true}\r\n')
  assert.equal(await connection.flush(), true)
  assert.equal(connection.maxPayload, 50)
  assert.equal(
    connection.publish(new RecordPages().encode(createMessageHeads('a')('id-1'), recordText('x'.repeat(41)))),
    false,
  )
  send('INFO {\r\n')
  const { fields } = await connection.lines.waitFor(({ msg }) => msg === 'bus disconnected')
  assert.equal(fields.code, 'BUS_FAILED')
})

test('every PING of a server is answered', async () => {
  await using server = await scriptedServer(INFO, pong)
  await using connection = recordConnectionUnderTest(at(server))
  await connected(connection)
  for (const socket of server.sockets) socket.write('PING\r\n'.repeat(3))
  await server.received.waitUntil((received) => received.join('').split('PONG\r\n').length === 4)
})

test('the CONNECT line requests headers and turns off verbose answers', async () => {
  await using server = await scriptedServer(INFO, pong)
  await using connection = recordConnectionUnderTest({ ...at(server), token: 'planted-token' })
  await connected(connection)
  const [line = ''] = server.received.entries.join('').split('\r\n')
  const { version, ...options } = JSON.parse(line.slice('CONNECT '.length))
  assert.equal(version, process.versions.node)
  assert.deepEqual(options, {
    verbose: false,
    pedantic: false,
    headers: true,
    no_responders: true,
    tls_required: false,
    lang: 'node',
    name: 'llm-gateway records',
    protocol: 1,
    auth_token: 'planted-token',
  })
})

test('a server that accepts and never speaks holds one socket, not one per attempt', async () => {
  await using silent = await silentServer()
  const timings = { connectTimeoutMs: 30, repeatWarningMs: 0 }
  await using connection = recordConnectionUnderTest(at(silent), { timings })
  await connection.lines.waitForCount(6)
  assert.ok(silent.sockets.size <= 2, `${silent.sockets.size} sockets`)
  for (const { fields } of connection.lines.entries) assert.equal(fields.code, 'BUS_TIMEOUT')
})
