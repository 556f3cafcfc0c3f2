import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Position } from './position.ts'

// Rules: docs/reference/kept-records.md#sinks

const NONE: ReadonlySet<number> = new Set()

test('the floor moves over settled sequences up to the first gap', () => {
  const position = new Position({ created: 'then', floor: 10 })
  const floors = [12, 13, 11, 5, 14].map((sequence) => {
    position.settle(sequence)
    return position.floor
  })
  assert.deepEqual(floors, [10, 10, 13, 13, 14])
  assert.equal(position.behind({ last: 20 }), 6)
})

test('records that the stream dropped after the last settled one count as overtaken, once', () => {
  const position = new Position({ created: 'then', floor: 10 })
  position.settle(13)
  const overtaken = position.follow({ floor: 99 }, { first: 21, last: 99 }, new Set([15, 16]))
  assert.deepEqual(overtaken, { from: 11, to: 20, count: 7 })
  assert.equal(position.follow({ floor: 99 }, { first: 21, last: 99 }, NONE), undefined)
  assert.equal(position.floor, 99)
})

test('a floor that other replicas raised is not reported as a gap', () => {
  const position = new Position({ created: 'then', floor: 10 })
  assert.equal(position.follow({ floor: 40 }, { first: 3, last: 99 }, NONE), undefined)
  assert.equal(position.floor, 40)
  assert.equal(position.follow({ floor: 40 }, { first: 41, last: 99 }, NONE), undefined)
})

test('dropped records that the sink still holds do not count as lost', () => {
  const position = new Position({ created: 'then', floor: 0 })
  assert.equal(position.follow({ floor: 0 }, { first: 3, last: 99 }, new Set([1, 2])), undefined)
  position.settle(1)
  assert.equal(position.floor, 2)
})

test('a record that is newer than all settled ones is not settled, whatever its sequence', () => {
  const position = new Position({ created: 'then', floor: 10, newestMs: 1_000 })
  position.settle(12, 1_500)
  assert.deepEqual(
    [9, 12, 11].map((sequence) => position.has(sequence, 1_500)),
    [true, true, false],
  )
  assert.deepEqual(
    [9, 12].map((sequence) => position.has(sequence, 1_501)),
    [false, false],
  )
})

test('sequences that the stream has lost are forgotten', () => {
  const position = new Position({ created: 'then', floor: 10 })
  position.settle(12)
  assert.equal(position.follow({ floor: 8 }, { first: 1, last: 8 }, NONE), undefined)
  assert.equal(position.floor, 8)
  position.settle(9)
  position.settle(10)
  assert.deepEqual([position.floor, position.behind({ last: 12 })], [10, 2])
})
