import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AgeLine } from './age-line.ts'

test('members stand in the order of their ages, in whatever order they come and go', () => {
  const line = new AgeLine<string>()
  for (const age of [5, 1, 9, 3, 7]) line.add(age, `m${age}`)
  assert.deepEqual(line.members, ['m1', 'm3', 'm5', 'm7', 'm9'])
  assert.equal(line.delete(5), true)
  assert.equal(line.delete(1), true)
  assert.equal(line.delete(9), true)
  assert.deepEqual(line.members, ['m3', 'm7'])
  for (const age of [0, 5, 10]) assert.equal(line.delete(age), false)
  line.add(5, 'm5')
  assert.deepEqual(line.members, ['m3', 'm5', 'm7'])
})
