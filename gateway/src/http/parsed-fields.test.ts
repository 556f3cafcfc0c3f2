import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { answeredCallers } from './tracked-server-under-test.ts'

const CALLERS = 50
const CHUNKED = 'POST / HTTP/1.1\r\nHost: gateway\r\nTransfer-Encoding: chunked\r\n\r\n'
const LINES = 'a:b\r\n'.repeat(7_900)
/** The bytes of short lines that one turn reads before all connections pause, and two segments. */
const MOST_BYTES_OF_TURN = 4_096 * 10 + 2 * 65_536

for (const [name, begin, bytes] of [
  ['heads that don’t end', '', `GET / HTTP/1.1\r\nHost: gateway\r\n${LINES}`],
  ['heads that began before', 'GET / HTTP/1.1\r\nHost: gateway\r\n', LINES],
  ['whole heads', '', `GET / HTTP/1.1\r\nHost: gateway\r\n${LINES}\r\n`],
  ['trailers that don’t end', '', `${CHUNKED}1\r\nx\r\n0\r\n${LINES}`],
  ['trailers of bodies that began before', `${CHUNKED}1\r\nx\r\n0\r\n`, `${LINES}\r\n`],
] as const) {
  test(`of fifty connections with 7,900 lines in ${name}, one turn reads a few`, { timeout: 60_000 }, async (t) => {
    const { served, sockets } = await answeredCallers(t, CALLERS)
    const arrived = (): number => served.reduce((sum, { bytesRead }) => sum + bytesRead, 0)
    const start = arrived() + CALLERS * begin.length
    for (const socket of sockets) if (begin !== '') socket.write(begin)
    while (arrived() < start) await nextTurn()
    for (const socket of sockets) socket.write(bytes)
    let most = 0
    for (let before = arrived(); before < start + CALLERS * bytes.length; ) {
      await nextTurn()
      const now = arrived()
      most = Math.max(most, now - before)
      before = now
    }
    assert.ok(most <= MOST_BYTES_OF_TURN, `${most} bytes in one turn`)
  })
}

test('a connection whose heads have forty usual lines stays proven', { timeout: 60_000 }, async (t) => {
  const { served, sockets, connections } = await answeredCallers(t, 1)
  const [[caller], [socket]] = [sockets, served]
  assert.ok(caller !== undefined && socket !== undefined)
  const head = `GET / HTTP/1.1\r\nHost: gateway\r\n${'X-Usual-Name: a usual value\r\n'.repeat(40)}\r\n`
  for (let calls = 0; calls < 100; calls += 1) {
    caller.write(head)
    await once(caller, 'data')
  }
  assert.equal(connections.of(socket).isProven, true)
  caller.write(`GET / HTTP/1.1\r\nHost: gateway\r\n${LINES}\r\n`)
  await once(caller, 'data')
  assert.equal(connections.of(socket).isProven, false)
})
