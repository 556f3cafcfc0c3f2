import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { takeBuildLock } from './build-lock.ts'

test('one build holds the lock, and the next build gets the lock after its release', (context) => {
  const file = lockFile(context)
  const lock = takeBuildLock(file)
  assert.equal(readFileSync(file, 'utf8'), `${process.pid}\n`)
  assert.equal(takeBuildLock(file), undefined)
  lock?.release()
  assert.ok(!existsSync(file))
  const next = takeBuildLock(file)
  assert.notEqual(next, undefined)
  next?.release()
})

test('the lock of a process that is gone is taken over', (context) => {
  const file = lockFile(context)
  const { pid } = spawnSync(process.execPath, ['--version'])
  writeFileSync(file, `${pid}\n`)
  const lock = takeBuildLock(file)
  assert.notEqual(lock, undefined)
  lock?.release()
})

test('a lock that nobody refreshes is taken over even if the process with its number runs', (context) => {
  const file = lockFile(context)
  writeFileSync(file, `${process.pid}\n`)
  assert.equal(takeBuildLock(file), undefined)
  utimesSync(file, new Date(0), new Date(0))
  const lock = takeBuildLock(file)
  assert.notEqual(lock, undefined)
  lock?.release()
})

test('a lock whose holder has not written its number yet is respected', (context) => {
  const file = lockFile(context)
  writeFileSync(file, '')
  assert.equal(takeBuildLock(file), undefined)
})

function lockFile(context: { after(remove: () => void): void }): string {
  const folder = mkdtempSync(join(tmpdir(), 're2-lock-'))
  context.after(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'lock')
}
