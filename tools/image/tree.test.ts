import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, readlinkSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { completeEntries, directory, file, link } from './entry.ts'
import { writeTree } from './tree.ts'

test('a tree has the entries of all layers with their modes under every umask', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tree-'))
  const umask = process.umask(0o077)
  try {
    const upper = completeEntries([file('usr/bin/b', () => Buffer.from('b'), 0o755), link('usr/c', 'bin/b')])
    writeTree(
      [
        { name: 'lower', entries: completeEntries([directory('tmp', 0o1777), directory('usr')]) },
        { name: 'upper', entries: upper },
      ],
      join(folder, 'root'),
    )
    const mode = (path: string) => statSync(join(folder, 'root', path)).mode & 0o7777
    assert.deepEqual([mode('tmp'), mode('usr'), mode('usr/bin'), mode('usr/bin/b')], [0o1777, 0o755, 0o755, 0o755])
    assert.equal(readFileSync(join(folder, 'root/usr/c'), 'utf8'), 'b')
    assert.equal(readlinkSync(join(folder, 'root/usr/c')), 'bin/b')
  } finally {
    process.umask(umask)
    rmSync(folder, { recursive: true })
  }
})
