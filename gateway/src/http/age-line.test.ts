import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AgeLine } from './age-line.ts'

function all(line: AgeLine<string>): readonly string[] {
  const { members } = line.from(0, line.length)
  assert.deepEqual(line.youngest(line.length), members.toReversed())
  return members
}

test('members stand in the order of their ages, in whatever order they come and go', () => {
  const line = new AgeLine<string>()
  for (const age of [5, 1, 9, 3, 7]) line.add(age, `m${age}`)
  assert.deepEqual(all(line), ['m1', 'm3', 'm5', 'm7', 'm9'])
  assert.equal(line.delete(5), true)
  assert.equal(line.delete(1), true)
  assert.equal(line.delete(9), true)
  assert.deepEqual(all(line), ['m3', 'm7'])
  for (const age of [0, 1, 5, 9, 10]) assert.equal(line.delete(age), false)
  line.add(5, 'm5')
  assert.deepEqual(all(line), ['m3', 'm5', 'm7'])
  for (const age of [2, 6, 8, 10, 4]) line.add(age, `m${age}`)
  assert.deepEqual(all(line), ['m2', 'm3', 'm4', 'm5', 'm6', 'm7', 'm8', 'm10'])
})

test('members that come and go at random stand in the order of their ages', () => {
  const line = new AgeLine<string>()
  const here = new Set<number>()
  let seed = 7
  for (let step = 0; step < 5_000; step += 1) {
    seed = (seed * 48_271) % 2_147_483_647
    const age = seed % 500
    if (here.delete(age)) assert.equal(line.delete(age), true)
    else {
      here.add(age)
      line.add(age, `m${age}`)
    }
    if (step % 100 !== 0) continue
    const ages = [...here].sort((one, other) => one - other)
    const named = (some: readonly number[]) => some.map((each) => `m${each}`)
    assert.deepEqual(all(line), named(ages))
    assert.deepEqual(line.from(250, 3).members, named(ages.filter((each) => each >= 250).slice(0, 3)))
  }
})
