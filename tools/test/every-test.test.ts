import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { EVERY_TEST } from './every-test.ts'

const root = join(import.meta.dirname, '../..')

test('make test runs every test file of the repository', () => {
  const found = new Set(EVERY_TEST.flatMap((glob) => globSync(glob, { cwd: root })))
  const tracked = execFileSync('git', ['ls-files', '*.test.ts'], { cwd: root, encoding: 'utf8' }).trim().split('\n')
  assert.ok(tracked.length > 500, `${tracked.length} files`)
  assert.deepEqual(
    tracked.filter((file) => !found.has(file)),
    [],
  )
})
