import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { jsonErrorPosition } from './json-error-position.ts'

const broken: readonly (readonly [text: string, line: number, column: number])[] = [
  ['', 1, 1],
  ['\n', 2, 1],
  ['{', 1, 2],
  ['{\n  "a": 1,\n}', 3, 1],
  ['{\r\n  "a": 1\r\n  "b": 2\r\n}', 3, 3],
  ['{"a" 1}', 1, 6],
  ['{a: 1}', 1, 2],
  ["{'a': 1}", 1, 2],
  ['[1, 2,]', 1, 7],
  ['[01]', 1, 3],
  ['[tru]', 1, 2],
  ['{"a": NaN}', 1, 7],
  ['{"a": 1} // why', 1, 10],
  ['{} {}', 1, 4],
  ['["a\nb"]', 1, 4],
  ['["\\x"]', 1, 3],
  ['["not closed]', 1, 14],
  ['[}', 1, 2],
]
for (const [text, line, column] of broken) {
  test(`${JSON.stringify(text)} breaks at line ${line}, column ${column}`, () => {
    assert.deepEqual(jsonErrorPosition(text), { line, column })
  })
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

test('an error position is reported exactly for the texts that JSON.parse refuses', () => {
  const edited = fc
    .tuple(fc.json(), fc.nat(), fc.constantFrom('', ',', '"', '\\', ']', '}', '1', '-', '.', '\n', '\u007f'))
    .map(([json, at, put]) => {
      const place = at % (json.length + 1)
      return json.slice(0, place) + put + json.slice(place + 1)
    })
  const texts = fc.oneof(fc.json(), edited, fc.string(), fc.string({ unit: fc.constantFrom(...'{}[]",:1e-\\tu ') }))
  fc.assert(
    fc.property(texts, (text) => assert.equal(jsonErrorPosition(text) === undefined, isJson(text), text)),
    { numRuns: 5_000 },
  )
})

test('a string of 32 MB does not overflow the stack', () => {
  assert.deepEqual(jsonErrorPosition(`["${'x'.repeat(32 * 1024 * 1024)}"`), { line: 1, column: 32 * 1024 * 1024 + 4 })
})
