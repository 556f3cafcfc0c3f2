import assert from 'node:assert/strict'
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
const LIMITS = { requestBytes: 100, requestIdleTimeoutMs: 60_000, requestBodyTimeoutMs: 60_000, jsonDepth: 10 }

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
