import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mockSettings } from './settings.ts'

test('an empty file has the defaults of the README', () => {
  assert.deepEqual(mockSettings.parse({}), {
    lambda: 0,
    max_delay_ms: 50_000,
    routers_prefix: '/mock',
    session_header: 'Session-Id',
    shared: false,
    recordings: 1_000,
    recording_bytes: 1024 * 1024,
    total_bytes: 64 * 1024 * 1024,
  })
})

test('settings from variables and references may be texts', () => {
  const settings = mockSettings.parse({ lambda: '0.2', shared: 'yes', recordings: '7' })
  assert.deepEqual([settings.lambda, settings.shared, settings.recordings], [0.2, true, 7])
})

const REJECTED: readonly (readonly [string, unknown])[] = [
  ['lambda', -1],
  ['lambda', '-0.1'],
  ['lambda', 'Infinity'],
  ['lambda', 'NaN'],
  ['lambda', 'fast'],
  ['lambda', null],
  ['max_delay_ms', 600_001],
  ['max_delay_ms', 0.5],
  ['routers_prefix', ''],
  ['routers_prefix', '/'],
  ['routers_prefix', 'mock'],
  ['routers_prefix', '/mock/'],
  ['session_header', 'Session Id'],
  ['recordings', 0],
  ['recording_bytes', 1.5],
  ['total_bytes', -1],
]

test('invalid settings are rejected with their path', () => {
  for (const [name, value] of REJECTED) {
    const { error } = mockSettings.safeParse({ [name]: value })
    assert.deepEqual(
      error?.issues.map(({ path }) => path.join('.')),
      [name],
      `${name} ${String(value)}`,
    )
  }
})
