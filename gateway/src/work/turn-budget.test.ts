import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TurnBudget } from './turn-budget.ts'

test('the time of all readers in a turn is summed, and reset in the next turn', async () => {
  const turn = new TurnBudget()
  assert.equal(turn.spend(3), false)
  assert.equal(turn.isSpent, false)
  assert.equal(turn.spend(2), true)
  assert.equal(turn.isSpent, true)
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(turn.isSpent, false)
  assert.equal(turn.spend(3), false)
  assert.equal(turn.spend(2), true)
})
