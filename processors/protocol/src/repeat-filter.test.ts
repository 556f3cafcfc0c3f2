import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RepeatFilter } from './repeat-filter.ts'

// Rules: docs/reference/kept-records.md#sinks

/** Adds an id and returns whether it was already there. */
function isRepeat(filter: RepeatFilter, id: string): boolean {
  const isKnown = filter.has(id)
  filter.add(id)
  return isKnown
}

test('an id is a repeat while it is among the last ids', () => {
  const filter = new RepeatFilter(3)
  assert.deepEqual(
    ['a', 'b', 'a', 'c', 'b', 'd', 'c', 'a', 'd'].map((id) => isRepeat(filter, id)),
    [false, false, true, false, true, false, true, false, true],
  )
})

test('an id that was only looked up is not a repeat', () => {
  const filter = new RepeatFilter(10_000)
  assert.deepEqual([filter.has('a'), filter.has('a')], [false, false])
})

test('the last 10,000 ids are remembered by default, and older ids are forgotten', () => {
  const filter = new RepeatFilter(10_000)
  for (let sequence = 0; sequence < 10_001; sequence++) assert.equal(isRepeat(filter, `GATEWAY1-1-${sequence}`), false)
  assert.equal(isRepeat(filter, 'GATEWAY1-1-1'), true)
  assert.equal(isRepeat(filter, 'GATEWAY1-1-0'), false)
})

test('an id too long to be the gateway’s is never a repeat, so memory stays bounded', () => {
  const filter = new RepeatFilter(10_000)
  const id = 'x'.repeat(1000)
  assert.deepEqual([isRepeat(filter, id), isRepeat(filter, id)], [false, false])
})
