import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { memberSpans } from './member-spans.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

function valuesOf(text: string): Record<string, string> | undefined {
  const spans = memberSpans(bytes(text), 0)
  if (spans === undefined) return undefined
  const values = [...spans].map(([name, { start, end }]) => [
    name,
    new TextDecoder().decode(bytes(text).subarray(start, end)),
  ])
  return Object.fromEntries(values)
}

test('member spans are the texts of the values, byte for byte', () => {
  const cases: readonly (readonly [string, Record<string, string> | undefined])[] = [
    ['{}', {}],
    [' { } ', {}],
    ['{"a":1}', { a: '1' }],
    ['{"a":1,"b":[{"a":"}"}],"c":"\\"]}"}', { a: '1', b: '[{"a":"}"}]', c: '"\\"]}"' }],
    ['{ "a" :\n-1.50e+2 , "ü" : null }', { a: '-1.50e+2', ü: 'null' }],
    ['{"a":1,"a":{"b":2}}', { a: '{"b":2}' }],
    ['[]', undefined],
    ['', undefined],
    ['{"a":1', undefined],
    ['{"a"', undefined],
    ['{"a', undefined],
    ['{"a" 1}', undefined],
  ]
  for (const [text, expected] of cases) assert.deepEqual(valuesOf(text), expected, text)
})

test('any JSON object comes apart into what JSON.parse says', () => {
  const names = fc.stringMatching(/^[a-z_]{1,9}$/)
  fc.assert(
    fc.property(fc.dictionary(names, fc.jsonValue({ depthSize: 'medium' })), fc.nat(3), (object, indent) => {
      const values = valuesOf(JSON.stringify(object, null, indent)) ?? {}
      const parsed = Object.entries(values).map(([name, text]) => [name, JSON.parse(text)])
      assert.deepEqual(Object.fromEntries(parsed), JSON.parse(JSON.stringify(object)))
    }),
  )
})

test('any bytes end in an answer', () => {
  fc.assert(
    fc.property(fc.uint8Array(), (array) => {
      memberSpans(array, 0)
      memberSpans(Buffer.concat([bytes('{"a":'), array]), 0)
    }),
  )
})
