import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { TurnQuota } from './turn-quota.ts'

test('a turn takes its most, and work that waits for the next turn finds it empty', async () => {
  const quota = new TurnQuota(() => 3)
  const taken: boolean[] = []
  for (let turn = 0; turn < 3; turn += 1) {
    for (let times = 0; times < 5; times += 1) taken.push(quota.take())
    await nextTurn()
  }
  assert.deepEqual(taken, Array.from({ length: 3 }, () => [true, true, true, false, false]).flat())
})

test('a smaller number holds at once', () => {
  let most = 3
  const quota = new TurnQuota(() => most)
  assert.deepEqual([quota.take(), quota.take()], [true, true])
  most = 2
  assert.equal(quota.take(), false)
})
