import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeReport } from './decode-report.ts'

// Rules: docs/reference/configuration-rules.md#status, docs/reference/kubernetes.md#delivery

function reportOf(body: unknown, status = 200) {
  return decodeReport({ status, body, retryAfterMs: 0 })
}

const deep = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)
const hostile: readonly (readonly [string, unknown])[] = [
  ['an object without a text form', { toString: 0, valueOf: 0 }],
  ['a nested list', deep],
  ['a number', 7],
  ['null', null],
  ['a long text', 'x'.repeat(1_000)],
]
for (const [what, hash] of hostile) {
  test(`a pod that reports ${what} in place of a hash has no such entry, and its other entries count`, () => {
    const report = reportOf({ digest: 'sha256:x', entries: { '/a/': hash, '/b/': 'hash' } })
    assert.deepEqual(report.kind === 'reported' && report.entries, new Map([['/b/', 'hash']]))
  })

  test(`a pod that reports ${what} in place of everything else only has its digest`, () => {
    const records = { stream: 'on', stream_code: hash, spooled_bytes: hash, overtaken: { file: hash } }
    const body = { digest: 'x', values_revision: hash, bus: hash, entries: hash, rejected_routers: hash, reload: hash }
    const report = reportOf({ ...body, records })
    assert.equal(report.kind === 'reported' && report.digest, 'x')
    assert.equal(report.kind === 'reported' && report.records?.code, undefined)
    assert.equal(report.kind === 'reported' && report.valuesRevision, '0')
  })

  test(`a pod that reports ${what} in place of its digest, or of its whole status, counts as unreachable`, () => {
    assert.deepEqual(reportOf({ digest: hash }), { kind: 'unreachable' })
    assert.deepEqual(reportOf(hash), { kind: 'unreachable' })
  })
}

test('numbers that count nothing are not kept', () => {
  const records = { stream: 'on', spooled_bytes: Number.POSITIVE_INFINITY }
  const report = reportOf({ digest: 'x', records, rejected_routers: [0, -1, 0.5, '2', 3] })
  assert.deepEqual(report.kind === 'reported' && report.rejectedRouters, [0, 3])
  assert.equal(report.kind === 'reported' && report.records?.spooledBytes, 0)
})
