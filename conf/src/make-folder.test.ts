import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, readdir, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { temporaryFolder } from '@llm-gateway/test/fake/temporary-folder'
import { makeFolder } from './make-folder.ts'

const MODULE = join(import.meta.dirname, 'make-folder.ts')
const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777

test('a folder is created with its parents, all with the mode', async () => {
  await using folder = await temporaryFolder()
  await makeFolder(join(folder.path, 'a/b/c'), 0o700)
  for (const name of ['a', 'a/b', 'a/b/c']) assert.equal(await modeOf(join(folder.path, name)), 0o700)
})

test('an existing folder, also behind a link, keeps its files and its mode', async () => {
  await using folder = await temporaryFolder()
  await mkdir(join(folder.path, 'a'), { mode: 0o750 })
  await writeFile(join(folder.path, 'a/file'), '')
  await symlink('a', join(folder.path, 'link'))
  for (const name of ['a', 'a/', 'link', 'link/']) await makeFolder(join(folder.path, name), 0o700)
  assert.deepEqual(await readdir(join(folder.path, 'a')), ['file'])
  assert.equal(await modeOf(join(folder.path, 'a')), 0o750)
})

test('folders that several makers create at one moment exist afterwards', async () => {
  await using folder = await temporaryFolder()
  await Promise.all(Array.from({ length: 8 }, () => makeFolder(join(folder.path, 'a/b/c/d'))))
  assert.deepEqual(await readdir(join(folder.path, 'a/b/c')), ['d'])
})

const REFUSALS: readonly (readonly [what: string, path: string, code: string])[] = [
  ['a file', 'file', 'EEXIST'],
  ['a path below a file', 'file/a/b', 'ENOTDIR'],
  ['a link that leads nowhere', 'dangling', 'EEXIST'],
  ['a path below a link that leads nowhere', 'dangling/a', 'EEXIST'],
  ['a link to itself', 'loop/a', 'ELOOP'],
  ['a folder of a file system without new folders', '/proc/self/x/y', 'ENOENT'],
]
for (const [what, path, code] of REFUSALS) {
  test(`the error of the system is reported for ${what}: ${code}`, async () => {
    await using folder = await temporaryFolder()
    await writeFile(join(folder.path, 'file'), '')
    await symlink('nowhere', join(folder.path, 'dangling'))
    await symlink('loop', join(folder.path, 'loop'))
    await assert.rejects(makeFolder(path.startsWith('/') ? path : join(folder.path, path)), { code })
  })
}

test('in a removed working directory the error is ENOENT', async () => {
  await using folder = await temporaryFolder()
  const program = `
    import { rmdirSync } from 'node:fs'
    import { makeFolder } from ${JSON.stringify(MODULE)}
    rmdirSync(process.cwd())
    const codeOf = (path) => makeFolder(path).then(() => 'made', ({ code }) => code)
    process.stdout.write(JSON.stringify(await Promise.all(['./app/spool', 'app', 'app/'].map(codeOf))))`
  const flags = ['--input-type=module', '--eval', program]
  const { stdout } = await promisify(execFile)(process.execPath, flags, { cwd: folder.path, timeout: 60_000 })
  assert.deepEqual(JSON.parse(stdout), ['ENOENT', 'ENOENT', 'ENOENT'])
})
