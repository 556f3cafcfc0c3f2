import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer as createHttpsServer, request } from 'node:https'
import { connect, createServer as createTcpServer, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import { createAuthority } from '@llm-gateway/test/fake/certificates'
import { listen } from '@llm-gateway/test/fake/listen'
import { Handshakes } from './handshakes.ts'
import { trackInboundConnections } from './inbound-connections.ts'

const LONG_MS = 60_000
/** Long enough for a byte that was sent at once to be read on a busy machine. */
const FIRST_BYTE_MS = 2_000

type Begun = { readonly turn: number; readonly from: string | undefined }

/** A TCP server whose connections go to `Handshakes`; each handshake takes 4 ms of the main thread. */
async function handshakesUnderTest(t: TestContext, timeoutMs: number) {
  const begun: Begun[] = []
  let turn = 0
  let isOver = false
  const countTurn = (): void => {
    turn += 1
    if (!isOver) setImmediate(countTurn)
  }
  setImmediate(countTurn)
  const handshakes = new Handshakes(() => undefined)
  const accepted: Socket[] = []
  const server = createTcpServer((socket) => {
    accepted.push(socket)
    handshakes.add(socket, timeoutMs, () => {
      begun.push({ turn, from: socket.remoteAddress })
      const end = performance.now() + 4
      while (performance.now() < end);
    })
  })
  const port = await listen(server)
  const clients: Socket[] = []
  t.after(() => {
    isOver = true
    for (const socket of [...clients, ...accepted]) socket.destroy()
    server.close()
  })
  const open = async (localAddress = '127.0.0.1'): Promise<Socket> => {
    const socket = connect({ port, host: '127.0.0.1', localAddress })
    socket.on('error', () => undefined)
    clients.push(socket)
    await once(socket, 'connect')
    return socket
  }
  return { begun, accepted, open }
}

test('of many handshakes that come at once, each turn begins those of 10 ms', { timeout: LONG_MS }, async (t) => {
  const { begun, open } = await handshakesUnderTest(t, LONG_MS)
  const clients = await Promise.all(Array.from({ length: 30 }, () => open()))
  for (const client of clients) client.write('hello')
  while (begun.length < 30) await nextTurn()
  const counts = Map.groupBy(begun, ({ turn }) => turn)
  assert.ok([...counts.values()].every(({ length }) => length <= 3))
})

test('the networks of callers take turns: a handshake behind a crowd of another network begins among the first', {
  timeout: LONG_MS,
}, async (t) => {
  const { begun, accepted, open } = await handshakesUnderTest(t, LONG_MS)
  const clients = await Promise.all(Array.from({ length: 60 }, () => open()))
  const other = await open('127.0.0.2')
  while (accepted.length < 61) await nextTurn()
  for (const client of clients) client.write('hello')
  other.write('hello')
  while (begun.length < 61) await nextTurn()
  const place = begun.findIndex(({ from }) => from?.endsWith('127.0.0.2'))
  assert.ok(place < 30, `${place} handshakes began before it`)
})

test('a connection without a byte is cut after its time, and one that ends or is reset begins no handshake', {
  timeout: LONG_MS,
}, async (t) => {
  const { begun, accepted, open } = await handshakesUnderTest(t, FIRST_BYTE_MS)
  const [, ends, reset, sends] = [await open(), await open(), await open(), await open()]
  ends.end()
  reset.resetAndDestroy()
  sends.write('hello')
  while (accepted.filter(({ destroyed }) => destroyed).length < 3) await pause(5)
  assert.equal(begun.length, 1)
  await pause(FIRST_BYTE_MS)
  assert.equal(accepted.filter(({ destroyed }) => destroyed).length, 3)
})

test('calls over TLS are answered, with large bodies', { timeout: LONG_MS }, async (t) => {
  await using authority = await createAuthority()
  const { certificate: cert, privateKey: key } = await authority.issue('localhost')
  const server = createHttpsServer({ cert, key })
  const connections = trackInboundConnections(server)
  const echo = (incoming: IncomingMessage, response: ServerResponse): void => void incoming.pipe(response)
  server.on('request', connections.oneByOne(echo))
  const port = await listen(server)
  t.after(() => {
    connections.destroy()
    server.close()
  })
  const body = Buffer.alloc(300_000, 'text ')
  const answers = Array.from({ length: 40 }, async () => {
    const sent = request({ host: 'localhost', port, ca: authority.certificate, method: 'POST' })
    sent.end(body)
    const [answer]: IncomingMessage[] = await once(sent, 'response')
    const chunks = await answer?.toArray()
    return Buffer.concat(chunks ?? [])
  })
  for (const answer of await Promise.all(answers)) assert.ok(answer.equals(body))
})
