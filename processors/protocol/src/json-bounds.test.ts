import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isBounded } from './json-bounds.ts'

const MESSAGE = { values: 2_000_000, depth: 10_000 }
const FEW = { values: 5, depth: 3 }
const ROWS: readonly (readonly [text: string, isWithin: boolean])[] = [
  ['{"a":1}', true],
  ['[1,2,3]', true],
  ['[1,2,3,4,5]', false],
  ['[[[]]]', true],
  ['[[[[]]]]', false],
  ['[{},{},{}]', false],
  ['"[[[[,,,,,,,,"', true],
  ['"\\"[[[[,,,,,,"', true],
  ['"\\\\",[[[[', false],
  ['["\\\\\\\\\\"",[[[[', false],
  ['"no end [[[[', true],
  ['', true],
  ['[[[[', false],
  [']]]]]][[[', true],
]

test('values and depth are counted like a parser does, brackets within strings are not', () => {
  for (const [text, isWithin] of ROWS) assert.equal(isBounded(Buffer.from(text), FEW), isWithin, text)
})

test('a real chat body is within the bounds, and a body made to fill memory is not', () => {
  const mib = 1024 * 1024
  assert.equal(isBounded(Buffer.from(JSON.stringify({ text: 'a"\\,[{'.repeat(mib) })), MESSAGE), true)
  assert.equal(isBounded(Buffer.from(JSON.stringify(Array.from({ length: 600_000 }, (_, n) => n / 7))), MESSAGE), true)
  assert.equal(isBounded(Buffer.from(`[${'{},'.repeat(4 * mib)}{}]`), MESSAGE), false)
  assert.equal(isBounded(Buffer.from('['.repeat(mib)), MESSAGE), false)
})
