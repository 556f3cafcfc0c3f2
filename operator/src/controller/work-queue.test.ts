import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WorkQueue } from './work-queue.ts'

// Rules: docs/reference/kubernetes.md#queue

test('a key that is added again while it waits is worked on once', async () => {
  const queue = new WorkQueue()
  for (const key of ['a', 'b', 'a', 'a']) queue.add(key)
  assert.equal(queue.depth, 2)
  assert.equal((await queue.take())?.key, 'a')
  assert.equal((await queue.take())?.key, 'b')
  assert.equal(queue.depth, 0)
  queue.close()
})

test('a key that is added while it is worked on is superseded, waits, and comes again', async () => {
  const queue = new WorkQueue()
  queue.add('a')
  const first = await queue.take()
  assert.equal(first?.superseded.aborted, false)
  queue.add('a')
  assert.equal(first?.superseded.aborted, true)
  let again = false
  const second = queue.take().then((work) => {
    again = true
    return work
  })
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(again, false, 'nobody works on a key twice at once')
  first?.done('succeeded')
  assert.equal((await second)?.key, 'a')
  queue.close()
})

test('a key that is added behind waits for the current work and does not supersede it', async () => {
  const queue = new WorkQueue()
  queue.add('a')
  const first = await queue.take()
  queue.addBehind('a')
  assert.deepEqual([first?.superseded.aborted, queue.depth], [false, 1])
  first?.done('succeeded')
  assert.equal((await queue.take())?.key, 'a')
  queue.close()
})

test('a key that a waiting worker gets at once is not superseded', async () => {
  const queue = new WorkQueue()
  const waiting = queue.take()
  queue.add('a')
  assert.equal((await waiting)?.superseded.aborted, false)
  queue.close()
})

test('a failed key comes back by itself, after a longer time at each failure', async () => {
  const queue = new WorkQueue({ firstBackoffMs: 2 })
  queue.add('a')
  const waits: number[] = []
  for (let failures = 0; failures < 4; failures += 1) {
    const work = await queue.take()
    const began = performance.now()
    work?.done('failed')
    queue.add('b')
    const other = await queue.take()
    assert.equal(other?.key, 'b', 'others go first')
    other?.done('succeeded')
    const again = await queue.take()
    waits.push(performance.now() - began)
    assert.equal(again?.key, 'a')
    again?.done('succeeded')
    queue.add('a')
    if (failures === 3) again?.done('succeeded')
  }
  assert.ok(waits.every((ms) => ms >= 1))
  queue.close()
})

test('of two delays of a key the shorter counts; a closed queue gives no key', async () => {
  const queue = new WorkQueue()
  queue.addAfter('a', 60_000)
  queue.addAfter('a', 1)
  const work = await queue.take()
  assert.equal(work?.key, 'a')
  work?.done('succeeded')
  const none = queue.take()
  queue.close()
  assert.equal(await none, undefined)
})

test('keys of the first list come after all others, and an edit hurries its key', async () => {
  const queue = new WorkQueue()
  for (const key of ['a', 'b', 'c']) queue.add(key, 'low')
  queue.add('edit')
  queue.add('c')
  queue.add('c', 'low')
  const order: (string | undefined)[] = []
  for (let count = 0; count < 4; count += 1) {
    const work = await queue.take()
    order.push(work?.key)
    work?.done('succeeded')
  }
  assert.deepEqual(order, ['edit', 'c', 'a', 'b'])
  queue.close()
})

test('a key of low priority still has it when it comes back by itself', async () => {
  const queue = new WorkQueue({}, undefined, (key) => (key === 'orphan' ? 'low' : 'normal'))
  queue.addAfter('orphan', 0)
  while (queue.depth === 0) await new Promise((resolve) => setImmediate(resolve))
  queue.add('edit')
  assert.equal((await queue.take())?.key, 'edit')
  queue.close()
})

test('metrics count added keys, their waiting times and retries', async () => {
  let added = 0
  let retried = 0
  const waits: number[] = []
  const watch = {
    added: () => {
      added += 1
    },
    taken: (ms: number) => {
      waits.push(ms)
    },
    retried: () => {
      retried += 1
    },
  }
  const queue = new WorkQueue({ firstBackoffMs: 1 }, watch)
  for (const key of ['a', 'a', 'b']) queue.add(key)
  const work = await queue.take()
  assert.equal(queue.workingMs.length, 1)
  work?.done('failed')
  assert.deepEqual([added, retried, waits.length, queue.workingMs.length], [2, 1, 1, 0])
  assert.ok(waits.every((ms) => ms >= 0))
  queue.close()
})
