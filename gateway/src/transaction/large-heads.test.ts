import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Upstream } from '../upstream/upstream.ts'
import { watchTasks } from '../work/tasks-under-test.ts'
import { transact } from './transact.ts'
import { type Answer, callWith, gatewayWith } from './transact-under-test.ts'

// Rules: docs/reference/http.md#order-of-checks

const ROOM = 58_000
/** The calls of one turn of the event loop (work/call-turns.ts). */
const CALLS = 64
/** The CPU time of a turn that other calls don't notice. */
const TURN_MS = 50

const refusing: Upstream = {
  send: async () => ({ kind: 'failed', code: 'UPSTREAM_TIMEOUT' }),
  close: async () => undefined,
}

/** Heads just below header_bytes, and the status of their answer. */
const heads: readonly (readonly [name: string, rawHeaders: readonly string[], hasBody: boolean, status: number])[] = [
  ['Connection of commas', ['Connection', ','.repeat(ROOM)], false, 431],
  ['Connection of names', ['Connection', 'a,'.repeat(ROOM / 2)], false, 431],
  ['Transfer-Encoding of commas', ['Transfer-Encoding', `${','.repeat(ROOM)}chunked`], true, 415],
  ['Transfer-Encoding of names', ['Transfer-Encoding', `${'a,'.repeat(ROOM / 2)}chunked`], true, 415],
  ['Content-Encoding of names', ['Content-Encoding', 'a,'.repeat(ROOM / 2)], true, 415],
]

for (const [name, rawHeaders, hasBody, status] of heads) {
  test(`${CALLS} calls with a long ${name} take little of a turn`, async () => {
    const gateway = gatewayWith(refusing, [], [])
    const answers: Answer[][] = Array.from({ length: CALLS }, () => [])
    const round = () =>
      Promise.all(answers.map((each) => transact({ ...callWith(each), rawHeaders, hasBody }, gateway)))
    await round()
    for (const each of answers) each.length = 0
    using tasks = watchTasks()
    await new Promise((resolve) => setImmediate(resolve))
    await round()
    await new Promise((resolve) => setImmediate(resolve))
    await gateway.bus.close()
    assert.ok(tasks.ms < TURN_MS, `${tasks.ms} ms`)
    assert.deepEqual([...new Set(answers.map(([answer]) => answer?.status))], [status])
  })
}
