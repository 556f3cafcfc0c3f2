import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTurns } from './turns.ts'

// Rules: docs/reference/kubernetes.md#connections

test('each act has a turn of the event loop of its own, in order, and a failure stops no other act', async () => {
  const turns = createTurns()
  let turn = 0
  const count = (): void => {
    turn += 1
    if (turn < 100) setImmediate(count)
  }
  setImmediate(count)
  const seen: number[] = []
  const acts = Array.from({ length: 5 }, (_, index) =>
    turns(() => {
      seen.push(turn)
      if (index === 1) throw new RangeError('a bug')
      return index
    }),
  )
  const outcomes = await Promise.allSettled(acts)
  assert.deepEqual(
    outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : 'failed')),
    [0, 'failed', 2, 3, 4],
  )
  assert.equal(new Set(seen).size, 5, `turns ${seen.join(' ')}`)
})
