import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { abandonedFolders, isOwned, makeOwnFolder, setOwner } from './own-folder.ts'
import { removeAbandoned } from './remove-cluster.ts'

test('a folder is abandoned only when its owner is gone', async (context) => {
  const parent = temporary(context)
  assert.deepEqual(abandonedFolders(join(parent, 'none')), [])
  const ours = makeOwnFolder(parent, 'ours')
  const theirs = makeOwnFolder(parent, 'theirs')
  assert.notEqual(basename(ours), basename(theirs))
  const owner = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
  setOwner(theirs, owner.pid ?? 0)
  assert.deepEqual(abandonedFolders(parent), [])
  owner.kill('SIGKILL')
  await once(owner, 'exit')
  assert.deepEqual(abandonedFolders(parent), [theirs])
  await removeAbandoned(parent)
  assert.ok(!existsSync(theirs))
  assert.ok(existsSync(ours))
})

test('a reused process id owns no folder', (context) => {
  const folder = makeOwnFolder(temporary(context), 'one')
  assert.ok(isOwned(folder))
  writeFileSync(join(folder, 'owner.json'), JSON.stringify({ pid: process.pid, started: '1' }))
  assert.ok(!isOwned(folder))
})

test('a folder with a missing or incomplete owner file is abandoned; a folder that is being made is not', (context) => {
  const parent = temporary(context)
  for (const name of ['silent', 'torn', '.being-made']) mkdirSync(join(parent, name))
  writeFileSync(join(parent, 'torn/owner.json'), '{"pid":')
  assert.deepEqual(
    abandonedFolders(parent)
      .map((folder) => basename(folder))
      .sort(),
    ['silent', 'torn'],
  )
})

function temporary(context: { after(remove: () => void): void }): string {
  const folder = mkdtempSync(join(tmpdir(), 'own-folder-'))
  context.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
