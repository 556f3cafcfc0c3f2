import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mapInTurns } from './map-in-turns.ts'

test('items are mapped in order, and other work runs between long ones', async () => {
  let turns = 0
  const count = (): void => {
    turns += 1
    if (turns < 1_000) setImmediate(count)
  }
  setImmediate(count)
  const seen: number[] = []
  const results = await mapInTurns([1, 2, 3, 4], (item) => {
    const endMs = performance.now() + 20
    while (performance.now() < endMs);
    seen.push(turns)
    return item * 2
  })
  assert.deepEqual(results, [2, 4, 6, 8])
  assert.equal(new Set(seen).size, 4, String(seen))
})
