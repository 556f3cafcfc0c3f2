import assert from 'node:assert/strict'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '@llm-gateway/test/fake/temporary-folder'
import { fillFolder } from './fill-folder.ts'

const CONF = join(import.meta.dirname, '../../../../conf')
const SINK = 'nats2log_config.json'

test('an empty folder gets every shipped file, byte for byte, and no other file of the source folder', async () => {
  await using folder = await temporaryFolder()
  const target = join(folder.path, 'new/conf')
  const added = await fillFolder(target, [CONF])
  assert.deepEqual([...added].sort(), (await readdir(target)).sort())
  const names = ['ginit', 'gl', 'gui', 'nats2file', 'nats2log', 'tokencounter'].map((name) => `${name}_config.json`)
  for (const name of [...names, 'nats-server.conf', 'gl_config.schema.json'])
    assert.deepEqual(await readFile(join(target, name)), await readFile(join(CONF, name)), name)
  assert.ok(!added.includes('package.json'))
  assert.deepEqual(await fillFolder(target, [CONF]), [])
})

test('edited files, empty files and files of earlier versions stay unchanged', async () => {
  await using folder = await temporaryFolder()
  const kept = new Map([
    ['gl_config.json', '{"version":"1.0.0","routers":[]}'],
    ['nats-server.conf', ''],
    ['former_config.json', '{}'],
  ])
  for (const [name, text] of kept) await writeFile(join(folder.path, name), text)
  await mkdir(join(folder.path, 'working'))
  await mkdir(join(folder.path, SINK))
  const added = await fillFolder(folder.path, [CONF])
  for (const [name, text] of kept) assert.equal(await readFile(join(folder.path, name), 'utf8'), text)
  assert.ok(added.includes('ginit_config.json') && !added.includes(SINK))
})

test('files of a later source win, and existing files win over both', async () => {
  await using folder = await temporaryFolder()
  const sources = [CONF, join(CONF, 'examples/azure')]
  await fillFolder(folder.path, sources)
  assert.match(await readFile(join(folder.path, SINK), 'utf8'), /azure_logs_ingestion_writer/)
  await writeFile(join(folder.path, SINK), '{}')
  await fillFolder(folder.path, sources)
  assert.equal(await readFile(join(folder.path, SINK), 'utf8'), '{}')
})

test('two containers that fill one folder at the same time leave complete files and no draft', async () => {
  await using folder = await temporaryFolder()
  await Promise.all([1, 2, 3].map(() => fillFolder(folder.path, [CONF])))
  assert.deepEqual(
    (await readdir(folder.path)).filter((name) => !/\.(json|conf)$/.test(name)),
    [],
  )
})
