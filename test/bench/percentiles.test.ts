import assert from 'node:assert/strict'
import { test } from 'node:test'
import { median, percentiles } from './percentiles.ts'

test('percentiles are the nearest ranks of all samples', () => {
  const samples = Array.from({ length: 100 }, (_, index) => 100 - index)
  assert.deepEqual(percentiles(samples), { count: 100, p50: 50, p90: 90, p99: 99, max: 100 })
  assert.deepEqual(percentiles([7]), { count: 1, p50: 7, p90: 7, p99: 7, max: 7 })
  assert.ok(Number.isNaN(percentiles([]).p50))
})

test('the median of an even number of values lies between the two middle values', () => {
  assert.equal(median([3, 1, 2]), 2)
  assert.equal(median([4, 1, 3, 2]), 2.5)
  assert.ok(Number.isNaN(median([])))
})
