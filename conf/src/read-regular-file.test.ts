import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, open, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { Worker } from 'node:worker_threads'
import { readRegularFile } from './read-regular-file.ts'

const LIMIT = { limitBytes: 1_000 }

async function folder(context: TestContext, parent = tmpdir()): Promise<string> {
  const path = await mkdtemp(join(parent, 'conf-file-'))
  context.after(() => rm(path, { recursive: true }))
  return path
}

async function outcome(path: string, options: Parameters<typeof readRegularFile>[1] = LIMIT): Promise<string> {
  const reading = await readRegularFile(path, options)
  if (reading.kind === 'read') return `${reading.bytes.length} bytes`
  return reading.kind === 'not a file' && reading.isFolder ? 'folder' : reading.kind
}

test('only a regular file up to the limit is read', async (context) => {
  const at = await folder(context)
  for (const [name, length] of [['empty', 0] as const, ['most', 1_000] as const, ['large', 1_001] as const]) {
    await writeFile(join(at, name), '')
    await truncate(join(at, name), length)
  }
  await promisify(execFile)('mkfifo', [join(at, 'pipe')])
  await symlink('most', join(at, 'link'))
  const names = ['empty', 'most', 'large', 'pipe', '.', 'link']
  const outcomes = await Promise.all(names.map((name) => outcome(join(at, name))))
  assert.deepEqual(outcomes, ['0 bytes', '1000 bytes', 'too large', 'not a file', 'folder', '1000 bytes'])
  await assert.rejects(readRegularFile(join(at, 'none'), LIMIT), { code: 'ENOENT' })
  await assert.rejects(readRegularFile(join(at, 'link'), { ...LIMIT, followsLinks: false }), { code: 'ELOOP' })
})

test('a file of /proc without a length is not read', { skip: !existsSync('/proc/self/mem') }, async (context) => {
  const at = await folder(context)
  for (const name of ['self/mem', 'kmsg', 'version']) {
    const link = join(at, name.replace('/', '-'))
    await symlink(join('/proc', name), link)
    assert.equal(await outcome(link), 'not a file', name)
  }
  // A link of /proc to an open file leads to this file's own file system.
  await writeFile(join(at, 'file'), 'text')
  await using handle = await open(join(at, 'file'))
  assert.equal(await outcome(`/proc/self/fd/${handle.fd}`), '4 bytes')
})

test('an empty file of a memory file system is read', { skip: !existsSync('/dev/shm') }, async (context) => {
  const at = await folder(context, '/dev/shm')
  await writeFile(join(at, 'empty'), '')
  assert.equal(await outcome(join(at, 'empty')), '0 bytes')
})

/** Puts the file and its replacement in turn in the place of `now`, without a moment in which the name is free. */
const SWAP = `
  const { linkSync, renameSync } = require('node:fs')
  const { at, isDone } = require('node:worker_threads').workerData
  for (let turn = 0; !Atomics.load(isDone, 0); turn += 1) {
    linkSync(at + (turn % 2 === 0 ? '/other' : '/file'), at + '/next')
    renameSync(at + '/next', at + '/now')
  }
`
const MOST_READINGS = 20_000

test('a pipe in the place of a file is never waited for', { timeout: 120_000 }, async (context) => {
  const at = await folder(context)
  await promisify(execFile)('mkfifo', [join(at, 'other')])
  assert.deepEqual(await outcomesOfSwaps(at), new Set(['4 bytes', 'not a file']))
})

test('a file that becomes larger than the limit is never read', { timeout: 120_000 }, async (context) => {
  const at = await folder(context)
  await writeFile(join(at, 'other'), '')
  await truncate(join(at, 'other'), 1024 * 1024 * 1024)
  assert.deepEqual(await outcomesOfSwaps(at), new Set(['4 bytes', 'too large']))
})

/** Reads a name while a thread swaps it, until each outcome has come often enough to have met each gap of a reading. */
async function outcomesOfSwaps(at: string): Promise<ReadonlySet<string>> {
  for (const name of ['file', 'now']) await writeFile(join(at, name), 'text')
  const isDone = new Int32Array(new SharedArrayBuffer(4))
  const swapper = new Worker(SWAP, { eval: true, workerData: { at, isDone } })
  const counts = new Map<string, number>()
  for (let readings = 0; readings < MOST_READINGS; readings += 1) {
    const found = await outcome(join(at, 'now'))
    counts.set(found, (counts.get(found) ?? 0) + 1)
    if (counts.size > 1 && [...counts.values()].every((count) => count > 200)) break
  }
  Atomics.store(isDone, 0, 1)
  await new Promise((resolve) => swapper.once('exit', resolve))
  return new Set(counts.keys())
}
