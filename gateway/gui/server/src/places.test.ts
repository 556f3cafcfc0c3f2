import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Places } from './places.ts'

test('as many calls run at once as there are places, the others in the order of their arrival, and no more wait than may', async () => {
  const places = new Places({ places: 2, waiting: 2 })
  const calls = Array.from({ length: 5 }, () => Promise.withResolvers<number>())
  const begun: number[] = []
  const results = calls.map(({ promise }, index) =>
    places.run(() => {
      begun.push(index)
      return promise
    }),
  )
  assert.equal(await results[4], undefined)
  assert.deepEqual(begun, [0, 1])
  calls[1]?.reject(new Error('failed'))
  await assert.rejects(results[1] ?? Promise.resolve(), /failed/)
  calls[2]?.resolve(2)
  assert.equal(await results[2], 2)
  assert.deepEqual(begun, [0, 1, 2, 3])
  calls[0]?.resolve(0)
  calls[3]?.resolve(3)
  assert.deepEqual([await results[0], await results[3]], [0, 3])
  assert.equal(await places.run(async () => 'free'), 'free')
})
