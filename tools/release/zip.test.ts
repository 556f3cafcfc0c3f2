import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { zip } from './zip.ts'

const SHOW = `import sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as archive:
    assert archive.testzip() is None
    for one in archive.infolist():
        print(one.filename, len(archive.read(one)), oct(one.external_attr >> 16), one.date_time)`
const FILES = new Map<string, string | Buffer>([
  ['a/b.txt', 'text\n'],
  ['empty', ''],
  ['ü.bin', Buffer.alloc(100_000, 7)],
])

test("Python's own reader finds the files with their bytes, modes and time", (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'zip-'))
  context.after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'a.zip')
  writeFileSync(file, zip(FILES, Date.UTC(2026, 4, 3, 2, 1, 8) / 1_000))
  const time = '(2026, 5, 3, 2, 1, 8)'
  const shown = [`a/b.txt 5 0o100644 ${time}`, `empty 0 0o100644 ${time}`, `ü.bin 100000 0o100644 ${time}`]
  const environment = { ...process.env, PYTHONUTF8: '1' }
  const printed = execFileSync('python3', ['-c', SHOW, file], { encoding: 'utf8', env: environment })
  assert.deepEqual(printed.trim().split('\n'), shown)
})

test('a time before 1980 becomes the first day that a zip can have', () => {
  assert.deepEqual(zip(FILES, 0), zip(FILES, Date.UTC(1980, 0, 1) / 1_000))
})
