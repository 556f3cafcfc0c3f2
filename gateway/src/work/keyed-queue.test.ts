import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { KeyedQueue } from './keyed-queue.ts'

test('tasks of one key run one after another, tasks of other keys in parallel, and a failed task stops no other', async () => {
  const order: string[] = []
  const tasks = new KeyedQueue()
  const [key, other] = [{}, {}]
  const gate = Promise.withResolvers<void>()
  const first = tasks.run(key, async () => {
    order.push('first begins')
    await gate.promise
    order.push('first ends')
    throw new Error('first fails')
  })
  const second = tasks.run(key, () => order.push('second'))
  await tasks.run(other, () => order.push('other'))
  assert.deepEqual(order, ['first begins', 'other'])
  gate.resolve()
  await assert.rejects(first)
  await second
  assert.deepEqual(order, ['first begins', 'other', 'first ends', 'second'])
})

test('the queue doesn’t retain a task’s result', async () => {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  const tasks = new KeyedQueue()
  const key = {}
  const ended: WeakRef<object>[] = []
  for (let count = 0; count < 3; count += 1) ended.push(await reference(tasks.run(key, () => ({ count }))))
  // A collection in the same task would keep the target of a new WeakRef.
  await new Promise((resolve) => setImmediate(resolve))
  collect()
  assert.deepEqual(
    ended.map((result) => result.deref()),
    [undefined, undefined, undefined],
  )
  assert.equal(await tasks.run(key, () => 'next'), 'next')
})

async function reference(result: Promise<object>): Promise<WeakRef<object>> {
  return new WeakRef(await result)
}

test('a queue of two runs two tasks at a time, and one of a key, so that the keys take turns', async () => {
  const tasks = new KeyedQueue(2)
  const keys: Readonly<Record<string, object>> = { a: {}, b: {}, c: {}, d: {} }
  const order: string[] = []
  let most = 0
  let running = 0
  const run = (name: string) =>
    tasks.run(keys[name.charAt(0)] ?? {}, async () => {
      running += 1
      most = Math.max(most, running)
      order.push(name)
      await new Promise((resolve) => setImmediate(resolve))
      running -= 1
      if (name === 'a1') throw new Error('a1 fails')
    })
  const results = await Promise.allSettled(['a1', 'a2', 'a3', 'b1', 'b2', 'c1', 'd1'].map(run))
  assert.equal(results.filter(({ status }) => status === 'rejected').length, 1)
  assert.equal(most, 2)
  assert.deepEqual(order, ['a1', 'b1', 'c1', 'd1', 'a2', 'b2', 'a3'])
})
