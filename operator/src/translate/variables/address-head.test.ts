import assert from 'node:assert/strict'
import { test } from 'node:test'
import { array, constantFrom, assert as holds, property } from 'fast-check'
import { AddressHead } from './address-head.ts'

const COMPLETE = /^https?:\/\/[^/?]+[/?]/i

test('scheme, host and port are complete at the same piece as in the whole text, however the text is cut', () => {
  const piece = constantFrom(
    '',
    'h',
    'ttp',
    's',
    'HTTP',
    'https',
    ':',
    ':/',
    '/',
    '//',
    '?',
    'a',
    'a.example',
    '/b?c',
    '://',
  )
  let complete = 0
  holds(
    property(array(piece, { maxLength: 9 }), (pieces) => {
      const head = new AddressHead()
      let text = ''
      for (const one of ['http', ...pieces]) {
        text += one
        head.add(one)
        assert.equal(head.isComplete, COMPLETE.test(text), text)
      }
      complete += Number(head.isComplete)
    }),
    { numRuns: 5_000, seed: 6 },
  )
  assert.ok(complete > 5, `${complete} complete`)
})
