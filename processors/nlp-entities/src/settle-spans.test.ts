import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Label, Span } from './entity.ts'
import { settleSpans } from './recognize.ts'

const span = (start: number, end: number, label: Label): Span => ({ start, end, label })

test('the longest of overlapping spans stays, and spans are in the order of the text', () => {
  const spans = [
    span(8, 12, 'GPE'),
    span(0, 8, 'GPE'),
    span(0, 14, 'ORG'),
    span(20, 22, 'CARDINAL'),
    span(14, 15, 'DATE'),
  ]
  assert.deepEqual(settleSpans(spans), [span(0, 14, 'ORG'), span(14, 15, 'DATE'), span(20, 22, 'CARDINAL')])
})

test('the first of equally long spans stays, and empty spans are dropped', () => {
  assert.deepEqual(settleSpans([span(0, 3, 'GPE'), span(0, 3, 'ORG'), span(2, 5, 'LOC'), span(7, 7, 'DATE')]), [
    span(0, 3, 'GPE'),
  ])
  assert.deepEqual(settleSpans([]), [])
})
