import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { BodyPlaces } from './body-places.ts'

test('two bodies of a router are at the model, and the first body of another router waits for none of them', async () => {
  const places = new BodyPlaces()
  const begun: string[] = []
  const body = (router: string, name: string) => {
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    const result = places.run(router, () => {
      begun.push(name)
      return promise
    })
    return { result, resolve, reject }
  }
  const [first, second, third, fourth] = ['1', '2', '3', '4'].map((name) => body('/a/', name))
  const other = body('/b/', 'b')
  await nextTurn()
  assert.deepEqual(begun, ['1', '2', 'b'])
  second?.reject(new Error('no answer'))
  await assert.rejects(async () => await second?.result, { message: 'no answer' })
  await nextTurn()
  assert.deepEqual(begun, ['1', '2', 'b', '3'])
  first?.resolve('one')
  assert.equal(await first?.result, 'one')
  for (const { resolve, result } of [third, fourth, other].filter((each) => each !== undefined)) {
    resolve('scores')
    assert.equal(await result, 'scores')
  }
  const later = body('/a/', '5')
  await nextTurn()
  assert.deepEqual(begun, ['1', '2', 'b', '3', '4', '5'])
  later.resolve('scores')
  await later.result
})
