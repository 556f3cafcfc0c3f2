import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRegexReport } from './run.ts'

const INITIALIZED = { service: 'regex', msg: 'processor initialized' }
const WAITS = { service: 'regex', msg: 'processor waits for re2 to be built' }

test('a regex processor that is ready from the start and log lines of other services cause no report', () => {
  const report = createRegexReport(() => 1)
  for (const entry of [INITIALIZED, { service: 'mock', msg: WAITS.msg }, {}]) assert.equal(report(entry), undefined)
})

test('a regex processor that waited for re2 is reported once', () => {
  const report = createRegexReport(() => 61.25)
  assert.equal(report(WAITS), undefined)
  assert.match(report(INITIALIZED) ?? '', /61\.3 s \(re2 is built/)
  assert.equal(report(INITIALIZED), undefined)
})
