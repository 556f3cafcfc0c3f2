import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertShortTurns } from './short-turns.ts'

test('a scene is repeated until one of its rounds is short enough', async () => {
  const rounds = [70, 50, 49, 10]
  await assertShortTurns(50, () => rounds.shift() ?? 0)
  assert.deepEqual(rounds, [10])
})

test('a scene with a long turn in every round fails', async () => {
  await assert.rejects(
    assertShortTurns(50, async () => 50),
    { message: 'the longest turns of 8 rounds took 50, 50, 50, 50, 50, 50, 50, 50 ms' },
  )
})
