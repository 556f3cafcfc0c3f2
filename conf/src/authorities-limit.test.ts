import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rootCertificates } from 'node:tls'
import { AUTHORITIES_LIMIT, excessAuthorities } from './authorities-limit.ts'

// Rules: docs/reference/configuration-rules.md#tls-settings

const certificate = '-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n'
const filled = (bytes: number) => '\n'.repeat(bytes)
const { bytes, certificates } = AUTHORITIES_LIMIT

test('two lists of all public authorities fit', () => {
  const list = rootCertificates.join('\n')
  assert.ok(rootCertificates.length > 100)
  assert.deepEqual([...excessAuthorities([list, list])], [])
})

const cases: readonly (readonly [string, readonly string[], readonly number[]])[] = [
  ['no files', [], []],
  ['as many bytes as fit', [filled(bytes - 1), 'x'], []],
  ['more bytes in one file', [filled(bytes + 1)], [0]],
  ['more bytes in two files', [filled(bytes), 'x'], [1]],
  ['characters of several bytes', ['ü'.repeat(bytes / 2), 'x'], [1]],
  ['as many certificates as fit', [certificate.repeat(certificates)], []],
  ['more certificates', [certificate.repeat(certificates), certificate, 'text'], [1]],
  ['a large file between small ones', ['a', filled(bytes), 'b'], [1]],
]
for (const [what, texts, excess] of cases) {
  test(`the authorities beyond the limit: ${what}`, () => assert.deepEqual([...excessAuthorities(texts)], excess))
}
