import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OneByOne } from './one-by-one.ts'

test('tasks of one key run one after another, those of another key beside them, and one that fails stops nobody', async () => {
  const order: string[] = []
  const tasks = new OneByOne()
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
