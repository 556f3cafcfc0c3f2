import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Places } from './places.ts'

const STAYS = new AbortController().signal

test('as many calls run at once as there are places, the others in the order of their arrival, and no more wait than may', async () => {
  const places = new Places({ places: 2, waiting: 2 })
  const calls = Array.from({ length: 5 }, () => Promise.withResolvers<number>())
  const begun: number[] = []
  const results = calls.map(({ promise }, index) =>
    places.run({ caller: {}, left: STAYS }, () => {
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
  assert.equal(await places.run({ caller: {}, left: STAYS }, async () => 'free'), 'free')
})

test('one caller has at most half of the waiting calls, and a free place goes to the caller with fewer running ones', async () => {
  const places = new Places({ places: 2, waiting: 4 })
  const begun: string[] = []
  const ends: (() => void)[] = []
  const ask = (caller: object, name: string) =>
    places.run({ caller, left: STAYS }, () => {
      begun.push(name)
      return new Promise<string>((resolve) => ends.push(() => resolve(name)))
    })
  const [ann, bob] = [{}, {}]
  const asked = ['a1', 'a2', 'a3', 'a4'].map((name) => ask(ann, name))
  assert.equal(await ask(ann, 'a5'), undefined)
  asked.push(ask(bob, 'b1'))
  for (const [index, answer] of [0, 1, 4, 2, 3].entries()) {
    ends[index]?.()
    await asked[answer]
  }
  assert.deepEqual(begun, ['a1', 'a2', 'b1', 'a3', 'a4'])
})

test('a caller that leaves gives up its waiting calls at once', async () => {
  const places = new Places({ places: 1, waiting: 2 })
  const first = Promise.withResolvers<string>()
  const running = places.run({ caller: {}, left: STAYS }, () => first.promise)
  const leaving = new AbortController()
  const given = places.run({ caller: {}, left: leaving.signal }, () => assert.fail('works for nobody'))
  leaving.abort()
  assert.equal(await given, undefined)
  const caller = {}
  const later = places.run({ caller, left: STAYS }, async () => 'later')
  assert.equal(await places.run({ caller, left: STAYS }, async () => 'beyond its half'), undefined)
  first.resolve('first')
  assert.deepEqual([await running, await later], ['first', 'later'])
  assert.equal(await places.run({ caller, left: leaving.signal }, async () => 'left'), undefined)
})
