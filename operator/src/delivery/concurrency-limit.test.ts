import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createConcurrencyLimit } from './concurrency-limit.ts'

test('an act that comes while another one ends does not take the place of an act that waits', async () => {
  for (const turns of [0, 1, 2, 3, 4]) {
    const limit = createConcurrencyLimit(1)
    const first = Promise.withResolvers<void>()
    const rest = Promise.withResolvers<void>()
    const order: string[] = []
    let running = 0
    const act = (name: string, end: Promise<void>) => async (): Promise<void> => {
      order.push(name)
      running += 1
      assert.equal(running, 1, `${name} after ${turns} turns`)
      await end
      running -= 1
    }
    const acts = [limit(act('first', first.promise)), limit(act('waiting', rest.promise))]
    let late = first.promise
    for (let turn = 0; turn < turns; turn += 1) late = late.then(() => undefined)
    acts.push(late.then(() => limit(act('late', rest.promise))))
    first.resolve()
    rest.resolve()
    await Promise.all(acts)
    assert.deepEqual(order, ['first', 'waiting', 'late'])
  }
})

test('an act that fails gives its place back', async () => {
  const limit = createConcurrencyLimit(1)
  const failure = new Error('planted')
  await assert.rejects(
    limit(async () => {
      throw failure
    }),
    failure,
  )
  assert.equal(await limit(async () => 'next'), 'next')
})
