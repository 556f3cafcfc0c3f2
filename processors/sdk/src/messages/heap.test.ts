import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Heap, NOWHERE } from './heap.ts'

/** Numbers that look random and are the same in each run. */
function* numbers(): Generator<number> {
  for (let state = 1; ; ) {
    state = (state * 48_271) % 2_147_483_647
    yield state
  }
}

test('the first item is the largest, whatever is added, changed or removed', () => {
  const heap = new Heap<{ place: number; size: number }>((one, other) => one.size > other.size)
  const items = Array.from({ length: 50 }, () => ({ place: NOWHERE, size: 0 }))
  const source = numbers()
  const next = (most: number): number => (source.next().value ?? 0) % most
  for (let step = 0; step < 5_000; step += 1) {
    const item = items[next(items.length)]
    assert.ok(item)
    if (next(3) === 0) heap.remove(item)
    else {
      item.size = next(20)
      heap.settle(item)
    }
    const held = items.filter(({ place }) => place !== NOWHERE)
    assert.equal(heap.first?.size, held.length === 0 ? undefined : Math.max(...held.map(({ size }) => size)))
  }
})
