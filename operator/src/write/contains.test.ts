import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contains } from './contains.ts'

const cases: readonly (readonly [string, unknown, unknown, boolean])[] = [
  ['a field that the API server adds is not drift', { a: 1, defaulted: true }, { a: 1 }, true],
  ['a removed field is drift', {}, { a: 1 }, false],
  ['a changed field is drift', { a: { b: 2 } }, { a: { b: 1 } }, false],
  ['an item that somebody adds to a list is drift', { ingress: [{ a: 1 }, {}] }, { ingress: [{ a: 1 }] }, false],
  [
    'an item that others add to a list that merges by key is not drift',
    { env: [{ name: 'x' }, { name: 'a' }] },
    { env: [{ name: 'a' }] },
    true,
  ],
  ['a removed item of a list that merges by key is drift', { env: [{ name: 'x' }] }, { env: [{ name: 'a' }] }, false],
  ['a text in place of a list that merges by key is drift', { env: 'x' }, { env: [] }, false],
]

for (const [what, live, wanted, expected] of cases) {
  test(`drift: ${what}`, () => assert.equal(contains(live, wanted), expected))
}
