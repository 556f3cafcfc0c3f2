import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MASKED } from '@llm-gateway/protocol'
import { readHeaders } from '../http/headers.ts'
import { mergeHeaders, stringList } from './merge-headers.ts'

// Rules: docs/reference/bus.md#fields-with-an-effect

const current = readHeaders(['X-Old', '1', 'Api-Key', 'k', 'Session-Id', 's'])
const kept = (lower: string): boolean => lower === 'api-key' || lower === 'session-id'
const held = { 'Api-Key': ['k'], 'Session-Id': ['s'] }

type Case = readonly [rule: string, json: string, added: Record<string, readonly string[]>, errors?: readonly string[]]

const cases: readonly Case[] = [
  ['a map is the whole new set', '{"X-New":["2"]}', { 'X-New': ['2'] }],
  ['an empty map leaves only the protected headers', '{}', {}],
  ['names become canonical, values stay in order', '{"x-NEW-one":["b","a"]}', { 'X-New-One': ['b', 'a'] }],
  ['a single string is a list of one', '{"X":"1"}', { X: ['1'] }],
  ['a protected header keeps its value', '{"API-KEY":["stolen"],"session-id":["x"]}', {}],
  ['a placeholder is ignored without error', `{"Api-Key":["${MASKED}"],"X":["${MASKED}"]}`, {}],
  ['a value with CR and LF is refused', '{"X":["a\\r\\nB: c"],"Y":["1"]}', { Y: ['1'] }, ['invalid: X']],
  ['a value with NUL is refused', '{"X":["a\\u0000"]}', {}, ['invalid: X']],
  ['a value beyond latin-1 is refused', '{"X":["€"]}', {}, ['invalid: X']],
  ['a value in latin-1 is taken', '{"X":["ü"]}', { X: ['ü'] }],
  ['an empty value is taken', '{"X":[""]}', { X: [''] }],
  ['an empty name is refused', '{"":["1"]}', {}, ['invalid: ']],
  ['a name with a space is refused', '{"X Y":["1"]}', {}, ['invalid: X Y']],
  ['a refused name with a line break is shown printable', '{"X\\nY":["1"]}', {}, ['invalid: X?Y']],
  ['a long refused name is shown short', `{"${'x '.repeat(99)}":["1"]}`, {}, [`invalid: ${'x '.repeat(32)}`]],
  [
    'values that are not strings are refused',
    '{"X":[1],"Y":{},"Z":null,"W":[]}',
    {},
    ['X', 'Y', 'Z', 'W'].map((n) => `invalid: ${n}`),
  ],
  ['Expect, which the gateway answers itself, is refused', '{"Expect":["100-continue"]}', {}, ['not allowed: Expect']],
  [
    'hop-by-hop names, Host and Content-Length are refused',
    '{"Connection":["close"],"TE":["trailers"],"Transfer-Encoding":["chunked"],"host":["h"],"Content-Length":["1"]}',
    {},
    ['Connection', 'TE', 'Transfer-Encoding', 'host', 'Content-Length'].map((name) => `not allowed: ${name}`),
  ],
]

for (const [rule, json, added, errors = []] of cases) {
  test(rule, () => {
    const written = mergeHeaders(JSON.parse(json), current, kept)
    const map = Object.fromEntries([...(written?.headers.values() ?? [])].map((h) => [h.canonical, h.values]))
    assert.deepEqual(map, { ...held, ...added })
    assert.deepEqual(written?.errors, errors)
  })
}

for (const value of [null, undefined, 1, 'x', [], [['X', '1']], true]) {
  test(`${JSON.stringify(value)} isn’t a header map`, () => {
    assert.equal(mergeHeaders(value, current, kept), undefined)
  })
}

test('__proto__ is a name like any other', () => {
  const written = mergeHeaders(JSON.parse('{"__proto__":["1"]}'), new Map(), kept)
  assert.deepEqual(written?.headers.get('__proto__')?.values, ['1'])
  assert.equal(Object.getPrototypeOf({}), Object.prototype)
})

test('stringList accepts only non-empty lists of strings', () => {
  for (const [value, list] of [
    ['a', ['a']],
    [
      ['a', 'b'],
      ['a', 'b'],
    ],
    [[], undefined],
    [['a', 1], undefined],
    [{}, undefined],
  ]) {
    assert.deepEqual(stringList(value), list)
  }
})

test('of thousands of refused names the errors name the first, and count the others', () => {
  const map = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`X ${index}`, ['1']]))
  const { errors = [] } = mergeHeaders({ ...map, Connection: ['close'] }, current, kept) ?? {}
  assert.deepEqual([errors.length, errors[0], errors.at(-1)], [17, 'invalid: X 0', 'invalid: 4985 more'])
})
