import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { execute } from '../cluster/execute.ts'

const RUNNER = join(import.meta.dirname, 'main.ts')

test('each failed test has a line with its file and its error; its suite has no line', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'llm-gateway-failures-'))
  const file = join(folder, 'a.test.mjs')
  writeFileSync(
    file,
    `import { describe, test } from 'node:test'
    describe('outer', () => {
      test('passes', () => {})
      test('fails', () => { throw new Error('one\\n  two', { cause: new Error('three') }) })
    })`,
  )
  // Only PATH: with NODE_TEST_CONTEXT the runner would report to a parent runner instead of to stdout.
  const { code, stdout } = await execute([process.execPath, RUNNER, file], { environment: { PATH: process.env.PATH } })
  rmSync(folder, { recursive: true })
  assert.equal(code, 1)
  const lines = stdout.split('\n').filter((line) => line.startsWith('# failed '))
  assert.equal(lines.length, 1, stdout)
  assert.match(lines.join(), /a\.test\.mjs: fails: one two \(three\)$/)
})
