import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Label, Span } from './entity.ts'
import { settleSpans } from './recognize.ts'

const span = (start: number, end: number, label: Label): Span => ({ start, end, label })

test('of spans that overlap the longest stays, and the result is in the order of the text', () => {
  const spans = [
    span(8, 12, 'GPE'),
    span(0, 8, 'GPE'),
    span(0, 14, 'ORG'),
    span(20, 22, 'CARDINAL'),
    span(14, 15, 'DATE'),
  ]
  assert.deepEqual(settleSpans(spans), [span(0, 14, 'ORG'), span(14, 15, 'DATE'), span(20, 22, 'CARDINAL')])
})

test('of spans of one length the first stays; an empty one never does', () => {
  assert.deepEqual(settleSpans([span(0, 3, 'GPE'), span(0, 3, 'ORG'), span(2, 5, 'LOC'), span(7, 7, 'DATE')]), [
    span(0, 3, 'GPE'),
  ])
  assert.deepEqual(settleSpans([]), [])
})
