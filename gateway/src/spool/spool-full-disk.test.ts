import assert from 'node:assert/strict'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { mountedFolder } from '@llm-gateway/test/fake/mounted-folder'
import { readAll, source, spoolIn } from './spool-under-test.ts'

const MIB = 1024 * 1024
const segmentsOf = async (path: string) => (await readdir(path)).filter((name) => /\.(records|journal)$/.test(name))

test('a full disk leaves no empty segments, however often it is tried', async (t) => {
  await using folder = await mountedFolder('size=64k')
  if (folder === undefined) return t.skip('may not mount a file system')
  const clock = { now: 0 }
  await using under = await spoolIn(folder.path, { nowMs: () => clock.now })
  await assert.rejects(writeFile(join(folder.path, 'other'), Buffer.alloc(MIB)), { code: 'ENOSPC' })
  for (const serial of [1, 2, 3]) {
    assert.equal(await under.spool.append([source(serial)]), false)
    clock.now += 1_000
    assert.equal(await under.spool.journal(source(serial)), undefined)
    clock.now += 1_000
  }
  assert.deepEqual(await segmentsOf(folder.path), [])
})

test('a segment that a full disk left without a record doesn’t hold up the records behind it', async (t) => {
  await using folder = await mountedFolder('size=9m')
  if (folder === undefined) return t.skip('may not mount a file system')
  const clock = { now: 0 }
  await using under = await spoolIn(folder.path, { nowMs: () => clock.now })
  assert.equal(await under.spool.append([source(1, 5 * MIB)]), true)
  // The record begins a second segment, which the disk can't take, while the reader waits to seal the first one.
  const appended = under.spool.append([source(2, 5 * MIB)])
  const batch = await under.spool.read()
  assert.deepEqual([await appended, batch?.records.length], [false, 1])
  if (batch !== undefined) await under.spool.remove(batch)
  clock.now += 1_000
  assert.equal(await under.spool.append([source(3)]), true)
  assert.deepEqual(await readAll(under.spool), [3])
  assert.deepEqual([under.spool.records, await segmentsOf(folder.path)], [0, []])
})
