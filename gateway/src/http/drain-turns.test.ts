import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
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

/** More than a turn serves of new connections, or ends. */
const ACCEPTED = 400
const REQUEST = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'

/** Ends the time of last heads while connections wait to be served; each of their callers has sent `bytes`. */
async function drainWhileServing(t: TestContext, bytes: string) {
  const accepted: Socket[] = []
  const calls = new Set<Socket>()
  // Connections aren't served as long as further ones are accepted.
  const { server, connections, open } = await trackedServerUnderTest(t, {
    acceptTimes: { accepting: LONG_MS, reading: 0 },
  })
  server.on(
    'request',
    connections.oneByOne(({ socket }) => calls.add(socket)),
  )
  const begun = new Promise<void>((resolve) => {
    server.on('connection', (socket: Socket) => {
      accepted.push(socket)
      if (accepted.length < ACCEPTED) return
      endLastHeads(t, () => void connections.drain(LONG_MS))
      resolve()
    })
  })
  for (let count = 0; count < ACCEPTED; count += 1) open().write(bytes)
  await begun
  return { accepted, calls }
}

/** Calls `drain` and at once what it does after the time of last heads. */
function endLastHeads(t: TestContext, drain: () => void): void {
  const { setTimeout: start } = globalThis
  const begun: (() => void)[] = []
  const { mock } = t.mock.method(globalThis, 'setTimeout', (callback: () => void, ms: number) => {
    if (ms < LONG_MS) begun.push(callback)
    return start(() => undefined, ms)
  })
  drain()
  mock.restore()
  for (const callback of begun) callback()
}

test('a stop cuts no call that began while connections before it were ended', { timeout: LONG_MS }, async (t) => {
  const { accepted, calls } = await drainWhileServing(t, REQUEST)
  while (!accepted.every((socket) => socket.destroyed || calls.has(socket))) await nextTurn()
  // Further turns would end the connections of these calls.
  for (let turns = 0; turns < ACCEPTED; turns += 1) await nextTurn()
  assert.ok(calls.size > 1)
  assert.equal([...calls].filter(({ destroyed }) => destroyed).length, 0)
})

test('a stop ends connections without a call that were served while others were ended', {
  timeout: LONG_MS,
}, async (t) => {
  const { accepted, calls } = await drainWhileServing(t, 'GET / HTTP')
  while (!accepted.every(({ writableEnded, destroyed }) => writableEnded || destroyed)) await nextTurn()
  assert.equal(calls.size, 0)
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
