import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { completeLock } from './complete-lock.ts'

// The checkout's packages, and those of folders with a lock file of their own.
for (const folder of ['.', 'docs', 'gateway/gui/web', 'test/browser']) {
  const file = join(import.meta.dirname, '../..', folder, 'package-lock.json')
  const text = readFileSync(file, 'utf8')
  const lock = JSON.parse(text)
  const completed = `${JSON.stringify({ ...lock, packages: completeLock(lock.packages) }, undefined, 2)}\n`
  if (completed !== text) writeFileSync(file, completed)
}
