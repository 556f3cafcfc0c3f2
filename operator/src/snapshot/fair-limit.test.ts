import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFairLimit } from './fair-limit.ts'

/** Makes a limit whose acts end one by one; `begun` are the names of the acts in the order in which they began. */
function scene(most: number, share: number) {
  const limit = createFairLimit(most, share)
  const begun: string[] = []
  const ends = new Map<string, (failure?: Error) => void>()
  const add = (party: string, name: string): Promise<void> =>
    limit(party, async () => {
      begun.push(name)
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      ends.set(name, (failure) => (failure === undefined ? resolve() : reject(failure)))
      return promise
    })
  const end = async (name: string, failure?: Error): Promise<void> => {
    ends.get(name)?.(failure)
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { add, end, begun }
}

test('parties take turns, however many acts one of them has, and none has more than its share', async () => {
  const { add, end, begun } = scene(3, 2)
  const all = ['a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'b2', 'c1'].map((name) => add(name.slice(0, 1), name))
  assert.deepEqual(begun, ['a1', 'a2', 'b1'])
  await end('a1')
  assert.deepEqual(begun.slice(3), ['a3'])
  await end('a2')
  assert.deepEqual(begun.slice(4), ['b2'])
  await end('b1')
  assert.deepEqual(begun.slice(5), ['c1'])
  for (const name of ['a3', 'b2', 'c1', 'a4', 'a5']) await end(name)
  await Promise.all(all)
  assert.deepEqual(begun.slice(6), ['a4', 'a5'])
})

test('an act that fails makes room for the next', async () => {
  const { add, end, begun } = scene(1, 1)
  const failing = assert.rejects(add('a', 'a1'), /broken/)
  const other = add('b', 'b1')
  await end('a1', new Error('broken'))
  assert.deepEqual(begun, ['a1', 'b1'])
  await end('b1')
  await Promise.all([failing, other])
})
