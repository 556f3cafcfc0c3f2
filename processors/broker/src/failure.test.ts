import assert from 'node:assert/strict'
import { test } from 'node:test'
import { failureReason } from './failure.ts'

// Rules: docs/reference/processors.md#broker

const transport = (code: string, status: number) => ({
  egress_status_code: status,
  error: [
    { name: 'outbound', details: code },
    { name: 'egress_status_code', details: String(status) },
  ],
})
const answered = (inbound: number, egress = inbound) => ({ inbound_status_code: inbound, egress_status_code: egress })
const statusEntry = (status: number) => ({ error: [{ name: 'egress_status_code', details: String(status) }] })

const cases: readonly (readonly [string, Readonly<Record<string, unknown>>, string | undefined])[] = [
  ['a connection that is refused', transport('UPSTREAM_REFUSED', 502), 'connection'],
  ['a host name that is not found', transport('UPSTREAM_NOT_FOUND', 503), 'connection'],
  ['no answer in time', transport('UPSTREAM_TIMEOUT', 504), 'connection'],
  [
    'a stream that breaks',
    { ...answered(200), error: [{ name: 'outbound', details: 'UPSTREAM_RESET' }] },
    'connection',
  ],
  ...[500, 502, 503, 504, 529, 599].map((status) => [`${status}`, answered(status), 'server_error'] as const),
  ['429', answered(429), 'rate_limited'],
  ['408', answered(408), 'timeout'],
  ['401', answered(401), 'unauthorized'],
  ['403', answered(403), 'unauthorized'],
  ['404', answered(404), 'not_found'],
  ['500 that a processor turned into 200', answered(500, 200), 'server_error'],
  ...[200, 201, 204, 302, 400, 402, 405, 409, 413, 415, 418, 422].map(
    (status) => [`${status}`, { ...answered(status), ...statusEntry(status) }, undefined] as const,
  ),
  ['200 that a processor turned into 500', answered(200, 500), undefined],
  ...[200, 401, 403, 404, 408, 429, 500, 503].map(
    (status) =>
      [`a control answer of ${status}`, { egress_status_code: status, ...statusEntry(status) }, undefined] as const,
  ),
  ['a caller that left before the answer', { egress_status_code: 499, ...statusEntry(499) }, undefined],
  ['a caller that left a stream', { ...answered(200, 499), ...statusEntry(499) }, undefined],
  ['a caller that left during an answer 503', { ...answered(503, 499), ...statusEntry(499) }, undefined],
  ['an error of a processor', { ...answered(200), error: [{ name: 'regex', details: 'timeout' }] }, undefined],
  ['a message without fields', {}, undefined],
]

for (const [title, message, reason] of cases) {
  test(`${title}: ${reason ?? 'not a failure of the sub-router'}`, () => {
    assert.equal(failureReason(new Map(Object.entries(message))), reason)
  })
}

test('fields of other types cause neither a failure nor an exception', () => {
  for (const value of [
    null,
    'text',
    '503',
    7.5,
    true,
    [],
    [null, 1, 'outbound', [['outbound']]],
    {},
    { name: 'outbound' },
  ]) {
    const message = { inbound_status_code: value, egress_status_code: value, error: value }
    assert.equal(failureReason(new Map(Object.entries(message))), undefined, JSON.stringify(value))
  }
  assert.equal(failureReason(new Map(Object.entries({ error: [{ name: 'outbound' }] }))), 'connection')
})
