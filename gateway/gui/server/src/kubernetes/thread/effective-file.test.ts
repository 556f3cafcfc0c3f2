import assert from 'node:assert/strict'
import { test } from 'node:test'
import { effectiveFile } from './effective-file.ts'

test('a file that is too large or too deep to be masked is not shown, and the answer says so', () => {
  for (const text of [`{"routers":[${'0,'.repeat(2_000_000)}0]}`, `${'['.repeat(5_000)}${']'.repeat(5_000)}`]) {
    const { text: shown, digest, why } = effectiveFile({ data: { 'gl_config.json': text } })
    assert.equal(shown, null)
    assert.match(digest ?? '', /^sha256:[0-9a-f]{64}$/)
    assert.match(why ?? '', /too large/)
  }
})

test('a file is shown masked and indented, without a reason', () => {
  const { text, why } = effectiveFile({ data: { 'gl_config.json': '{"log_level":"INFO"}' } })
  assert.deepEqual([text, why], ['{\n  "log_level": "INFO"\n}', null])
})
