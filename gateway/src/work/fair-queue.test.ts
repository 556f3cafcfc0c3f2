import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FairQueue } from './fair-queue.ts'

function takeAll(queue: FairQueue<string>): readonly string[] {
  const taken: string[] = []
  while (!queue.isEmpty) {
    const { first } = queue
    assert.equal(queue.takeFirst(), first)
    taken.push(first ?? '')
  }
  return taken
}

test('routers take turns, and the items of a router stay in their order', () => {
  const queue = new FairQueue<string>()
  for (const item of ['a1', 'a2', 'a3', 'b1', 'c1', 'c2']) queue.add(item.slice(0, 1), item)
  assert.deepEqual([...queue.oldest()], ['a1', 'b1', 'c1'])
  assert.deepEqual(takeAll(queue), ['a1', 'b1', 'c1', 'a2', 'c2', 'a3'])
  assert.equal(queue.takeFirst(), undefined)
})

test('an item that doesn’t wait any longer leaves its place to the next of its router', () => {
  const queue = new FairQueue<string>()
  for (const item of ['a1', 'a2', 'b1', 'c1']) queue.add(item.slice(0, 1), item)
  queue.delete('a', 'a1')
  queue.delete('b', 'b1')
  queue.delete('b', 'b1')
  assert.deepEqual(takeAll(queue), ['a2', 'c1'])
})
