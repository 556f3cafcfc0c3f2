import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createJsonEngine } from '../json/json-scan.ts'
import { MemoryAccount, MemoryShare } from '../memory/memory-account.ts'
import { TurnBudget } from '../work/turn-budget.ts'
import { WorkQueue } from '../work/work-queue.ts'
import { ServerCall } from './call.ts'
import { trackedServerUnderTest } from './tracked-server-under-test.ts'

const CALLERS = 60
/** The most calls that go on in one turn after their callers have left. */
const MOST = 4
/** Longer than a test takes. */
const LINGER_MS = 60_000
const LIMITS = { requestBytes: 100, requestIdleTimeoutMs: 60_000, requestBodyTimeoutMs: 60_000, jsonDepth: 10 }

for (const [name, version, line, drains] of [
  ['of HTTP/1.0', '1.0', '', false],
  ['with Connection: close', '1.1', 'Connection: close\r\n', false],
  ['while the gateway drains', '1.1', '', true],
] as const) {
  for (const bytes of [100, 300_000]) {
    test(`a refused body of ${bytes} bytes ${name} is read whole although it arrives behind its answer`, {
      timeout: 60_000,
    }, async (t) => {
      const { server, connections, open } = await trackedServerUnderTest(t, { lingerMs: LINGER_MS })
      server.on(
        'request',
        connections.oneByOne((request, response) => {
          const connection = connections.of(request.socket)
          const options = { target: '/', connection, connectionBytes: 0, draining: () => drains }
          const call = new ServerCall(request, response, options)
          if (drains) void connections.drain(60_000) // never rejects
          call.refuseBody()
          const session = { canonical: 'Session', value: 'one' }
          call.createReply(session, 60_000).send(404, [], Buffer.from('refused'))
        }),
      )
      const accepted = once(server, 'connection')
      const caller = open()
      const head = `POST / HTTP/${version}\r\nHost: a\r\nContent-Length: ${bytes}\r\n${line}\r\n`
      caller.write(head)
      const [socket]: Socket[] = await accepted
      assert.ok(socket !== undefined)
      const closed = once(socket, 'close')
      await once(caller, 'data')
      caller.write('x'.repeat(bytes))
      await closed
      assert.equal(socket.bytesRead, head.length + bytes)
    })
  }
}

test('of callers that leave in the middle of their bodies, a few calls go on in each turn', {
  timeout: 60_000,
}, async (t) => {
  const { server, connections, sockets, open } = await trackedServerUnderTest(t)
  const account = new MemoryAccount(1_000_000)
  const reading = { limits: LIMITS, json: createJsonEngine(), budget: new TurnBudget(), work: new WorkQueue() }
  let begun = 0
  let gone = 0
  server.on('request', async (request, response) => {
    begun += 1
    const connection = connections.of(request.socket)
    const call = new ServerCall(request, response, {
      target: '/',
      connection,
      connectionBytes: 0,
      draining: () => false,
    })
    const body = await call.readBody({ ...reading, memory: account.open('/', new MemoryShare()) })
    if (body.kind === 'caller gone') gone += 1
  })
  for (let count = 0; count < CALLERS; count += 1)
    open().write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 50\r\n\r\n{')
  while (begun < CALLERS) await nextTurn()
  for (const socket of sockets) socket.resetAndDestroy()
  while (gone < CALLERS) {
    const before = gone
    await nextTurn()
    assert.ok(gone - before <= MOST, `${gone - before} calls in one turn`)
  }
  assert.equal(account.heldBytes, 0)
})
