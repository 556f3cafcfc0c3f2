import assert from 'node:assert/strict'
import { test } from 'node:test'
import { suiteMinutes } from './suite-minutes.ts'

test('each folder of suites has a line with its files, tests and minutes, the longest first', () => {
  const lines = suiteMinutes(
    [
      { file: '/root/gateway/src/a.test.ts', tests: 3, milliseconds: 30_000 },
      { file: '/root/gateway/src/http/b.test.ts', tests: 4, milliseconds: 60_000 },
      { file: '/root/test/spec/c.test.ts', tests: 1, milliseconds: 600_000 },
      { file: '/root/test/d.test.ts', tests: 10, milliseconds: 600 },
    ],
    '/root',
  )
  assert.deepEqual(lines, [
    'test/spec                1 file      1 test    10.0 min',
    'gateway                  2 files     7 tests    1.5 min',
    'test                     1 file     10 tests    0.0 min',
  ])
})
