import assert from 'node:assert/strict'
import { test } from 'node:test'
import { prunedValues, unionValues } from './union-values.ts'

// Rules: docs/reference/kubernetes.md#delivery

const map = (values: Readonly<Record<string, string>>) => new Map(Object.entries(values))

test('before the configuration the operator writes the union of live and next values, with the next revision', () => {
  assert.deepEqual(unionValues(undefined, map({ a: '1' })), { values: map({ a: '1' }), revision: 1 })
  const live = { values: map({ a: '1', old: 'x' }), revision: 7 }
  assert.deepEqual(unionValues(live, map({ a: '2', b: '3' })), {
    values: map({ a: '2', b: '3', old: 'x' }),
    revision: 8,
  })
})

test('values that the Secret already has are not written again, whatever other values it has', () => {
  assert.equal(unionValues({ values: map({ a: '1', old: 'x' }), revision: 7 }, map({ a: '1' })), undefined)
})

test('pruning leaves the values that are needed and keeps the revision', () => {
  const live = { values: map({ a: '1', old: 'x' }), revision: 7 }
  assert.deepEqual(prunedValues(live, map({ a: '1' })), { values: map({ a: '1' }), revision: 7 })
  assert.equal(prunedValues({ values: map({ a: '1' }), revision: 7 }, map({ a: '1' })), undefined)
})

test('the next values are written alone where a Secret can not hold the union', () => {
  const live = { values: new Map([['V_old', 'x'.repeat(600_000)]]), revision: 3 }
  const next = new Map([['V_new', 'y'.repeat(600_000)]])
  assert.deepEqual(unionValues(live, next), { values: next, revision: 4 })
})
