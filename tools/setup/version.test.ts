import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isAtLeast } from './get-nats-server.ts'

const cases: ReadonlyArray<readonly [found: string, minimum: string, expected: boolean]> = [
  ['2.9.0', '2.9.0', true],
  ['nats-server: v2.9.10', '2.9.0', true],
  ['2.10.0', '2.9.25', true],
  ['3.0.0', '2.9.25', true],
  ['2.8.99', '2.9.0', false],
  ['1.99.99', '2.0.0', false],
  ['2.9.9', '2.9.10', false],
  ['2.11.0-RC.1', '2.9.0', true],
  ['no version here', '2.9.0', false],
  ['', '2.9.0', false],
]

for (const [found, minimum, expected] of cases) {
  test(`"${found}" is ${expected ? '' : 'not '}at least ${minimum}`, () => {
    assert.equal(isAtLeast(found, minimum), expected)
  })
}
