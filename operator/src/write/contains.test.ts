import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contains } from './contains.ts'

const cases: readonly (readonly [string, unknown, unknown, boolean])[] = [
  ['what the API server adds is left aside', { a: 1, defaulted: true }, { a: 1 }, true],
  ['what is gone is seen', {}, { a: 1 }, false],
  ['what is changed is seen', { a: { b: 2 } }, { a: { b: 1 } }, false],
  ['what somebody adds to a list of ours is seen', { ingress: [{ a: 1 }, {}] }, { ingress: [{ a: 1 }] }, false],
  [
    'a list that is merged by key keeps what others add',
    { env: [{ name: 'x' }, { name: 'a' }] },
    { env: [{ name: 'a' }] },
    true,
  ],
  ['and loses nothing of ours', { env: [{ name: 'x' }] }, { env: [{ name: 'a' }] }, false],
  ['a list of that name that is no list', { env: 'x' }, { env: [] }, false],
]

for (const [what, live, wanted, expected] of cases) {
  test(`drift: ${what}`, () => assert.equal(contains(live, wanted), expected))
}
