import assert from 'node:assert/strict'
import { test } from 'node:test'
import { completeEntries, directory, link, text } from './entry.ts'

test('parent directories are added once, and all entries are in byte order', () => {
  const entries = completeEntries([text('b/c/d', ''), link('b/a', 'c'), text('a.b', ''), text('a/b', '')])
  assert.deepEqual(
    entries.map(({ path }) => path),
    ['a', 'a.b', 'a/b', 'b', 'b/a', 'b/c', 'b/c/d'],
  )
})

test('a directory that is an entry of its own keeps its mode', () => {
  const entries = completeEntries([text('tmp/x', ''), directory('tmp', 0o1777)])
  assert.deepEqual(entries[0], directory('tmp', 0o1777))
})

test('two entries of one path are refused', () => {
  assert.throws(() => completeEntries([text('a', '1'), text('a', '2')]), /two entries are called a/)
})
