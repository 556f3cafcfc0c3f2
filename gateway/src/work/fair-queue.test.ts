import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { FairQueue } from './fair-queue.ts'

type Named = { readonly name: string }

/** Adds items whose owner is the first letter of their name. */
function filled(...names: readonly string[]): { readonly queue: FairQueue<Named>; readonly items: readonly Named[] } {
  const queue = new FairQueue<Named>()
  const items = names.map((name) => ({ name }))
  for (const item of items) queue.add(item.name.slice(0, 1), item)
  return { queue, items }
}

function takeAll(queue: FairQueue<Named>): readonly string[] {
  const taken: string[] = []
  while (!queue.isEmpty) {
    const { first } = queue
    assert.equal(queue.takeFirst(), first)
    taken.push(first?.name ?? '')
  }
  return taken
}

test('owners take turns, and the items of an owner stay in their order', () => {
  const { queue } = filled('a1', 'a2', 'a3', 'b1', 'c1', 'c2')
  assert.deepEqual(
    [...queue.oldest()].map(({ name }) => name),
    ['a1', 'b1', 'c1'],
  )
  assert.deepEqual(takeAll(queue), ['a1', 'b1', 'c1', 'a2', 'c2', 'a3'])
  assert.equal(queue.takeFirst(), undefined)
})

test('an item that doesn’t wait any longer leaves its place to the next of its owner', () => {
  const { queue, items } = filled('a1', 'a2', 'b1', 'c1')
  const [a1, , b1] = items
  assert.ok(a1 !== undefined && b1 !== undefined)
  assert.equal(queue.first, a1)
  queue.delete('a', a1)
  queue.delete('b', b1)
  queue.delete('b', b1)
  assert.deepEqual(takeAll(queue), ['a2', 'c1'])
})

test('a queue that was empty takes items again', () => {
  const { queue } = filled('a1')
  assert.deepEqual(takeAll(queue), ['a1'])
  for (const name of ['b1', 'a2', 'a3']) queue.add(name.slice(0, 1), { name })
  assert.deepEqual(takeAll(queue), ['b1', 'a2', 'a3'])
})

test('items that are added while others are taken come behind them', () => {
  const { queue } = filled('a1', 'a2')
  assert.equal(queue.takeFirst()?.name, 'a1')
  queue.add('a', { name: 'a3' })
  queue.add('b', { name: 'b1' })
  assert.deepEqual(takeAll(queue), ['a2', 'b1', 'a3'])
})

test('the items of an owner that isn’t admitted stay in their places', () => {
  const { queue } = filled('a1', 'a2', 'b1', 'c1')
  assert.equal(queue.takeFirst((owner) => owner !== 'a')?.name, 'b1')
  assert.equal(
    queue.takeFirst((owner) => owner === 'b'),
    undefined,
  )
  assert.deepEqual([...queue.owners], ['a', 'c'])
  assert.deepEqual(
    ['a', 'b'].map((owner) => queue.hasOther(owner)),
    [true, true],
  )
  assert.deepEqual(takeAll(queue), ['a1', 'c1', 'a2'])
  assert.equal(queue.hasOther('a'), false)
})

test('an item that is added twice has one place', () => {
  const { queue, items } = filled('a1', 'a2')
  const [a1] = items
  assert.ok(a1 !== undefined)
  queue.add('a', a1)
  assert.deepEqual(takeAll(queue), ['a1', 'a2'])
})

test('items that are deleted behind an item that stays are collected', async () => {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  const { queue, items } = filled('a1')
  const waiting: { name: string }[] = []
  const references: WeakRef<object>[] = []
  for (let i = 0; i < 10_000; i += 1) {
    const item = { name: `a${i}` }
    references.push(new WeakRef(item))
    waiting.push(item)
    queue.add('a', item)
    const oldest = waiting.length > 100 ? waiting.shift() : undefined
    if (oldest !== undefined) queue.delete('a', oldest)
  }
  // A WeakRef keeps its item until the end of the turn in which it was made.
  await new Promise<void>((resolve) => setImmediate(resolve))
  collect()
  assert.ok(references.filter((reference) => reference.deref() !== undefined).length <= 101)
  assert.equal(queue.first, items[0])
})
