import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { directory, type Entry, file, link, text } from './entry.ts'
import { tar } from './tar.ts'

const bytesOf = (entries: readonly Entry[], mtime = 0) => Buffer.concat([...tar(entries, { mtime })])
const listed = (archive: Buffer) =>
  execFileSync('tar', ['--numeric-owner', '--full-time', '--utc', '-tvf', '-'], {
    input: archive,
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C.UTF-8' },
  })
    .trimEnd()
    .split('\n')
    .map((line) => line.replaceAll(/ +/g, ' '))

test('tar lists each entry with its mode, size, owner, time and target', () => {
  const archive = bytesOf(
    [directory('a', 0o1777), text('a/b.txt', 'hello'), file('c', () => Buffer.alloc(0), 0o755), link('d', 'a/b.txt')],
    86_400,
  )
  assert.deepEqual(listed(archive), [
    'drwxrwxrwt 0/0 0 1970-01-02 00:00:00 a/',
    '-rw-r--r-- 0/0 5 1970-01-02 00:00:00 a/b.txt',
    '-rwxr-xr-x 0/0 0 1970-01-02 00:00:00 c',
    'lrwxrwxrwx 0/0 0 1970-01-02 00:00:00 d -> a/b.txt',
  ])
})

test('an archive has the bytes that GNU tar writes for the same file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tar-'))
  try {
    writeFileSync(join(folder, 'a'), 'x')
    const options =
      '--format=ustar --owner=:0 --group=:0 --numeric-owner --mtime=@1 --mode=644 --blocking-factor=1 -cf - a'
    const expected = execFileSync('tar', options.split(' '), { cwd: folder })
    assert.deepEqual(bytesOf([text('a', 'x')], 1), expected)
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('long names, long targets and names that are not ASCII pass through tar', () => {
  const long = `${'directory/'.repeat(12)}file`
  for (const [entry, shown] of [
    [text('x'.repeat(100), ''), 'x'.repeat(100)],
    [text('x'.repeat(101), ''), 'x'.repeat(101)],
    [text(long, ''), long],
    [text('ü', ''), 'ü'],
    [link('l', long), `l -> ${long}`],
    // Counting its own digits adds a digit to the length of this pax record.
    [text('y'.repeat(990), ''), 'y'.repeat(990)],
  ] as const) {
    const lines = listed(bytesOf([entry, text('next', 'n')]))
    assert.equal(lines[0]?.endsWith(` ${shown}`), true, lines[0])
    assert.equal(lines[1]?.endsWith(' next'), true)
  }
})

test('files with lengths around a block’s size come back unchanged', () => {
  for (const length of [0, 1, 511, 512, 513, 1_024]) {
    const content = createHash('shake256', { outputLength: Math.max(length, 1) })
      .update('x')
      .digest()
      .subarray(0, length)
    const back = execFileSync('tar', ['-xOf', '-', 'f'], { input: bytesOf([file('f', () => content)]) })
    assert.deepEqual(back, content)
  }
})

test('an archive ends with two empty blocks', () => {
  assert.deepEqual(bytesOf([]), Buffer.alloc(1_024))
})

test('tar reports the size of each file', () => {
  const sizes: unknown[] = []
  for (const _ of tar([text('a', 'xyz'), directory('b')], { mtime: 0, wrote: (...sized) => sizes.push(sized) }));
  assert.deepEqual(sizes, [['a', 3]])
})
