import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Upstream } from '../upstream/upstream.ts'
import { STEPS_OF_TURN } from '../work/call-turns.ts'
import { RecordsUnderTest } from './records-under-test.ts'
import { transact } from './transact.ts'
import { type Answer, callWith, gatewayWith } from './transact-under-test.ts'

// Rules: docs/reference/kept-records.md#durability

const CALLS = 500

test('calls whose records reach the disk at one moment are answered in many turns', async (t) => {
  const disk = Promise.withResolvers<void>()
  const records = new RecordsUnderTest(true, () => disk.promise)
  const upstream: Upstream = {
    send: async () => ({ kind: 'failed', code: 'UPSTREAM_TIMEOUT' }),
    close: async () => undefined,
  }
  const gateway = { ...gatewayWith(upstream, [], []), records }
  t.after(() => gateway.bus.close())
  const answers: Answer[] = []
  const calls = Array.from({ length: CALLS }, async () => {
    const own: Answer[] = []
    await transact(callWith(own), gateway)
    answers.push(...own)
  })
  while (records.journalled.length < CALLS) await nextTurn()
  // The end of the last calls' turn may still be due. The bound would count anew there, behind the first answers.
  for (let turn = 0; turn < 2; turn += 1) await nextTurn()
  disk.resolve()
  for (let before = 0; answers.length < CALLS; before = answers.length) {
    await nextTurn()
    const count = answers.length - before
    assert.ok(count <= STEPS_OF_TURN, `${count} answers in one turn`)
  }
  await Promise.all(calls)
  assert.equal(records.published.length, CALLS)
})
