import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { answeredCallers, trackedServerUnderTest } from './tracked-server-under-test.ts'

// Rules: docs/reference/http.md#drain

const CALLERS = 200
/** The connections that two tasks end in one turn at most: a timer's and an immediate's. */
const MOST_ENDED = 128
const LONG_MS = 60_000

test('a stop ends idle connections some in each turn', { timeout: LONG_MS }, async (t) => {
  const { connections, served } = await answeredCallers(t, CALLERS)
  const most = await mostEndedInTurn(served, () => void connections.drain(LONG_MS))
  assert.ok(most <= MOST_ENDED, `${most} connections in one turn`)
})

test('a stop ends connections without a call some in each turn', { timeout: LONG_MS }, async (t) => {
  const { server, connections, open } = await trackedServerUnderTest(t)
  const served: Socket[] = []
  server.on('connection', (socket: Socket) => served.push(socket))
  for (let count = 0; count < CALLERS; count += 1) open().write('GET / HTTP')
  while (served.filter(({ bytesRead }) => bytesRead > 0).length < CALLERS) await nextTurn()
  const most = await mostEndedInTurn(served, () => void connections.drain(LONG_MS))
  assert.ok(most <= MOST_ENDED, `${most} connections in one turn`)
})

/** Returns the most sockets that end in one turn of the event loop, until all have ended. */
async function mostEndedInTurn(sockets: readonly Socket[], begin: () => void): Promise<number> {
  const ended = (): number => sockets.filter(({ writableEnded, destroyed }) => writableEnded || destroyed).length
  begin()
  let most = ended()
  for (let before = most; before < sockets.length; ) {
    await nextTurn()
    const now = ended()
    most = Math.max(most, now - before)
    before = now
  }
  return most
}
