import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Position } from './position.ts'

// Rules: docs/reference/kept-records.md#sinks

const NONE: ReadonlySet<number> = new Set()

test('the floor moves over settled sequences up to the first gap', () => {
  const position = new Position('then', 10)
  const floors = [12, 13, 11, 5, 14].map((sequence) => {
    position.settle(sequence)
    return position.floor
  })
  assert.deepEqual(floors, [10, 10, 13, 13, 14])
  assert.equal(position.behind({ last: 20 }), 6)
})

test('records that the stream dropped after the last settled one count as overtaken, once', () => {
  const position = new Position('then', 10)
  position.settle(13)
  const overtaken = position.follow({ floor: 99 }, { first: 21 }, new Set([15, 16]))
  assert.deepEqual(overtaken, { from: 11, to: 20, count: 7 })
  assert.equal(position.follow({ floor: 99 }, { first: 21 }, NONE), undefined)
  assert.equal(position.floor, 99)
})

test('a floor that other replicas raised is not reported as a gap', () => {
  const position = new Position('then', 10)
  assert.equal(position.follow({ floor: 40 }, { first: 3 }, NONE), undefined)
  assert.equal(position.floor, 40)
  assert.equal(position.follow({ floor: 40 }, { first: 41 }, NONE), undefined)
})

test('dropped records that the sink still holds do not count as lost', () => {
  const position = new Position('then', 0)
  assert.equal(position.follow({ floor: 0 }, { first: 3 }, new Set([1, 2])), undefined)
  position.settle(1)
  assert.equal(position.floor, 2)
})
