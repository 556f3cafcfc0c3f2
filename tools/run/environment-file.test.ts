import assert from 'node:assert/strict'
import { chmodSync, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { ensureSecrets, readEnvironmentFile } from './environment-file.ts'

function withFile(use: (file: string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), 'run-environment-'))
  try {
    use(join(folder, 'env'))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

test('unset values are random, stored in a file of mode 0600, and the same at the next run', () =>
  withFile((file) => {
    const first = ensureSecrets(file, { NATS_TOKEN: '' })
    assert.match(first.NATS_TOKEN ?? '', /^[0-9a-f]{64}$/)
    assert.notEqual(first.NATS_TOKEN, first.GUI_SECRET)
    assert.equal(statSync(file).mode & 0o777, 0o600)
    assert.deepEqual(readEnvironmentFile(file), first)
    assert.deepEqual(ensureSecrets(file, {}), first)
  }))

test('a value of the environment has precedence and is not written to the file', () =>
  withFile((file) => {
    const values = ensureSecrets(file, { NATS_TOKEN: 'mine' })
    assert.equal(values.NATS_TOKEN, 'mine')
    assert.deepEqual(Object.keys(readEnvironmentFile(file)), ['GUI_SECRET'])
  }))

test('with both in the environment no file is made', () =>
  withFile((file) => {
    assert.deepEqual(ensureSecrets(file, { NATS_TOKEN: 'a', GUI_SECRET: 'b' }), { NATS_TOKEN: 'a', GUI_SECRET: 'b' })
    assert.ok(!existsSync(file))
  }))

test("the file's values are used unchanged, and its mode is set to 0600 again", () =>
  withFile((file) => {
    writeFileSync(file, '# hello\nNATS_TOKEN=a=b "c"\nGUI_SECRET=d\n')
    chmodSync(file, 0o644)
    assert.deepEqual(ensureSecrets(file, {}), { NATS_TOKEN: 'a=b "c"', GUI_SECRET: 'd' })
    assert.equal(statSync(file).mode & 0o777, 0o600)
  }))
