import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { listenUntilEnd } from '@llm-gateway/test/fake/listen'
import { trackAdminConnections } from './admin-connections.ts'
import { answeredCallers, mostReadInTurn, trackedServerUnderTest } from './tracked-server-under-test.ts'

const CALLERS = 20
const MIB = 1024 * 1024
const CHUNKED = 'POST / HTTP/1.1\r\nHost: gateway\r\nTransfer-Encoding: chunked\r\n\r\n'
/** The bytes of a read. */
const READ_BYTES = 65_536
/** The bytes without a body that one turn reads before all connections pause; they are counted in groups of 128 KiB. */
const MOST_BYTES_OF_TURN = MIB + 128 * 1024 + READ_BYTES

for (const [name, begin, piece] of [
  ['requests that each have a chunk with a long extension', '', `${CHUNKED}1${';a=b'.repeat(4_000)}\r\nx\r\n0\r\n\r\n`],
  ['chunks with long extensions', CHUNKED, `1${';a=b'.repeat(4_000)}\r\nx\r\n`],
  ['chunks whose sizes begin with many zeros', CHUNKED, `${'0'.repeat(60_000)}1\r\nx\r\n`],
  ['empty lines in front of a request', '', '\r\n'.repeat(30_000)],
] as const) {
  test(`of twenty connections with ${name}, one turn reads a megabyte`, { timeout: 60_000 }, async (t) => {
    const { served, sockets } = await answeredCallers(t, CALLERS)
    const most = await mostReadOf(sockets, served, begin + piece.repeat(Math.ceil(MIB / piece.length)))
    assert.ok(most <= MOST_BYTES_OF_TURN, `${most} bytes in one turn`)
  })
}

test('of sixty new connections with a long chunk extension behind their first bytes, one turn reads a megabyte', {
  timeout: 60_000,
}, async (t) => {
  const { server, connections, sockets, open } = await trackedServerUnderTest(t)
  const served: Socket[] = []
  server.on(
    'request',
    connections.oneByOne(({ socket }) => served.push(socket)),
  )
  for (let count = 0; count < 60; count += 1) open().write(CHUNKED)
  while (served.length < sockets.length) await nextTurn()
  const most = await mostReadOf(sockets, served, `1${';a=b'.repeat(15_000)}\r\nx\r\n`)
  assert.ok(most <= MOST_BYTES_OF_TURN, `${most} bytes in one turn`)
})

test('of twenty connections to the admin port with empty lines, one turn reads a megabyte', async (t) => {
  const server = createServer()
  trackAdminConnections(server)
  const served: Socket[] = []
  server.on('connection', (socket: Socket) => served.push(socket))
  const port = await listenUntilEnd(t, server)
  const sockets = Array.from({ length: CALLERS }, () => connect(port, '127.0.0.1'))
  t.after(() => {
    for (const socket of sockets) socket.destroy()
  })
  await Promise.all(sockets.map((socket) => once(socket, 'connect')))
  while (served.length < CALLERS) await nextTurn()
  const most = await mostReadOf(sockets, served, '\r\n'.repeat(MIB / 2))
  assert.ok(most <= MOST_BYTES_OF_TURN, `${most} bytes in one turn`)
})

/** Sends `text` on every socket; returns the most bytes that the server's ends read in one turn of the event loop. */
async function mostReadOf(sockets: readonly Socket[], served: readonly Socket[], text: string): Promise<number> {
  for (const socket of sockets) socket.write(text)
  return await mostReadInTurn(served, Buffer.byteLength(text))
}
