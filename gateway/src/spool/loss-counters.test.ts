import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { appendFile, open, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { mountedFolder } from '@llm-gateway/test/fake/mounted-folder'
import { temporaryFolder } from '@llm-gateway/test/fake/temporary-folder'
import { DiskLimit } from './disk-limit.ts'
import { LossCounters } from './loss-counters.ts'

const CASES: readonly (readonly [string, (path: string) => Promise<unknown>])[] = [
  ['a pipe', (path) => promisify(execFile)('mkfifo', [path])],
  ['a link to a device', (path) => symlink('/dev/zero', path)],
  ['a file of 2 GB', (path) => writeFile(path, '').then(() => truncate(path, 2_000_000_000))],
]

for (const [what, make] of CASES) {
  test(`${what} in place of the counts is replaced and never waited for`, { timeout: 60_000 }, async () => {
    await using folder = await temporaryFolder()
    const path = join(folder.path, 'lost.json')
    await make(path)
    await make(`${path}.next`)
    const counters = new LossCounters()
    const { promise: late, resolve } = Promise.withResolvers<undefined>()
    const timer = setTimeout(() => resolve(undefined), 10_000)
    const before = await Promise.race([counters.open(folder.path), late])
    clearTimeout(timer)
    // A thread that waits for the pipe would keep this process from ending.
    if (before === undefined) await (await open(path, 'r+')).close()
    assert.deepEqual(before, new Map())
    counters.add(2, 'exit')
    await counters.close()
    assert.deepEqual(JSON.parse(await readFile(path, 'utf8')), { exit: 2 })
  })
}

test('counts are kept while the disk is full', async (t) => {
  await using folder = await mountedFolder('size=64k')
  if (folder === undefined) return t.skip('may not mount a file system')
  const counters = new LossCounters()
  assert.deepEqual(await counters.open(folder.path), new Map())
  await counters.close()
  for (let bytes = 65_536; bytes >= 1; bytes /= 2) {
    await appendFile(join(folder.path, 'filler'), Buffer.alloc(bytes)).catch(() => undefined)
  }
  await assert.rejects(writeFile(join(folder.path, 'other'), 'x'), { code: 'ENOSPC' })
  counters.add(5, 'queue_full')
  counters.add(3, 'exit')
  await counters.close()
  const expected = { queue_full: 5, exit: 3 }
  assert.deepEqual(await keptIn(folder.path), expected)
  await rm(join(folder.path, 'filler'))
  counters.add(1, 'exit')
  await counters.close()
  assert.deepEqual(await keptIn(folder.path), { ...expected, exit: 4 })
})

test('the end of the process waits for the disk until its limit', async () => {
  const limit = new DiskLimit(50)
  await limit.wait(Promise.resolve())
  await limit.wait(undefined)
  assert.equal(limit.isOver, false)
  await limit.wait(new Promise(() => undefined))
  assert.equal(limit.isOver, true)
  // Later waits share the limit, so that the whole end is bounded by it.
  await limit.wait(new Promise(() => undefined))
})

/** Returns the counts that the next process finds. */
async function keptIn(directory: string): Promise<Record<string, number>> {
  const counters = new LossCounters()
  const before = Object.fromEntries(await counters.open(directory))
  await counters.close()
  return before
}
