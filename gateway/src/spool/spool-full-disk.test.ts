import assert from 'node:assert/strict'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { mountedFolder } from '@llm-gateway/test/fake/mounted-folder'
import { source, spoolIn } from './spool-under-test.ts'

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
