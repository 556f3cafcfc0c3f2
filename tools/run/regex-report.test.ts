import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRegexReport } from './run.ts'

const INITIALIZED = { service: 'regex', msg: 'processor initialized' }
const WAITS = { service: 'regex', msg: 'processor waits for re2 to be built' }

test('a regex processor that is there from the start is no report, nor is what others say', () => {
  const report = createRegexReport(() => 1)
  for (const entry of [INITIALIZED, { service: 'mock', msg: WAITS.msg }, {}]) assert.equal(report(entry), undefined)
})

test('a regex processor that had to wait is said to join, once', () => {
  const report = createRegexReport(() => 61.25)
  assert.equal(report(WAITS), undefined)
  assert.match(report(INITIALIZED) ?? '', /61\.3 s \(re2 is built/)
  assert.equal(report(INITIALIZED), undefined)
})
