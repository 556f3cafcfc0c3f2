import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { createHttpTarget, type HttpTargetOptions } from './http-target.ts'
import { createRestWriter } from './rest-writer.ts'

// Rules: docs/reference/nats2file-config.md

const TLS = { rejectUnauthorized: true, ca: [] }
const HEAD = 'HTTP/1.1 201 Created\r\nContent-Type: text/plain\r\n'
const ENDLESS = Buffer.alloc(64 * 1024, 'x')

const BODIES: readonly (readonly [string, (socket: Socket) => void])[] = [
  ['is endless', (socket) => pour(socket)],
  ['breaks off', (socket) => void socket.end(`${HEAD}Content-Length: 100\r\n\r\nabc`)],
  ['has broken chunks', (socket) => void socket.end(`${HEAD}Transfer-Encoding: chunked\r\n\r\nzz\r\n`)],
]

for (const [what, answer] of BODIES) {
  test(`a record counts as delivered if the body of a 2xx answer ${what}: another try could store the record twice`, async (t) => {
    const url = await rawTarget(t, answer)
    const writer = createRestWriter({ url, headers: {}, tls: TLS, now: Date.now })
    t.after(() => writer.close())
    assert.deepEqual(await writer.write([{ bytes: Buffer.from('{"n":1}') }]), { failed: [] })
  })
}

test('a large body has more time than a small body, and the reason for giving up is named', async (t) => {
  const server = createServer(async (request, response) => {
    request.resume()
    await wait(1_000)
    response.end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => void server.close().closeAllConnections())
  const address = server.address()
  assert.ok(address !== null && typeof address === 'object')
  const url = new URL(`http://127.0.0.1:${address.port}/`)
  const timeLimits = { answerMs: 100, bytesPerSecond: 64 * 1024 }
  const target = createHttpTarget({ tls: TLS, connections: 1, now: Date.now, timeLimits } satisfies HttpTargetOptions)
  t.after(() => target.close())
  const send = async (bytes: number) => await target.send({ url, headers: {}, body: Buffer.alloc(bytes) })
  assert.deepEqual(await send(10), { kind: 'failed', code: 'TIMEOUT' })
  assert.deepEqual(await send(4 * 1024 * 1024), { kind: 'answered', status: 200, retryAfterMs: undefined, text: '' })
})

/** Starts a server that answers each request with raw bytes. */
async function rawTarget(t: TestContext, answer: (socket: Socket) => void): Promise<URL> {
  const server = createServer(({ socket }) => answer(socket)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => void server.close().closeAllConnections())
  const address = server.address()
  assert.ok(address !== null && typeof address === 'object')
  return new URL(`http://127.0.0.1:${address.port}/`)
}

function pour(socket: Socket): void {
  const more = (): void => {
    while (!socket.destroyed && socket.write(ENDLESS));
  }
  socket.on('error', () => undefined) // the reader ends the connection
  socket.on('drain', more)
  socket.write(`${HEAD}\r\n`)
  more()
}
