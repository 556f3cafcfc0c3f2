import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { endpoints } from '@llm-gateway/gui-api'
import { type Scene, startScene } from './fixture/interface-scene.ts'

const GL = '/api/v1/files/gl_config.json'
const HEX = 'a1b2c3d4e5f6'

const read = async (scene: Scene) => endpoints.file.answer.parse((await scene.script('GET', GL)).json)
const saveChange = async (scene: Scene) => {
  const { tag } = await read(scene)
  return await scene.script('PUT', `${GL}/draft`, { tag, edits: [{ op: 'set', path: ['log_level'], value: 'WARN' }] })
}

test('the start removes half-written files of a killed process and no others', async () => {
  await using scene = await startScene()
  const left = [
    `working/.check-${HEX}-gl_config.json`,
    `working/.gl_config.json.draft.json.${HEX}`,
    `working/.check-${HEX}-gl_config.json.${HEX}`,
    `archive/gl_config.json/.${'0'.repeat(64)}.${HEX}`,
    `.gl_config.json.${HEX}`,
  ]
  const others = ['.gl_config.json.swp', '.env', `working/.mine.${HEX}`, `.check-${HEX}-notes.txt`]
  await mkdir(scene.live('working'), { recursive: true })
  await mkdir(scene.live('archive/gl_config.json'), { recursive: true })
  for (const name of [...left, ...others]) await writeFile(scene.live(name), 'key')
  await scene.restart()
  for (const name of left) await assert.rejects(stat(scene.live(name)), name)
  for (const name of others) assert.equal(await readFile(scene.live(name), 'utf8'), 'key')
})

test('files of the web interface are readable by its user only, independent of the live file’s mode', async () => {
  await using scene = await startScene({ gateway: true })
  const saved = await saveChange(scene)
  const [draft] = await readdir(scene.live('working'))
  assert.equal((await stat(scene.live(join('working', draft ?? '')))).mode & 0o777, 0o600)
  assert.equal((await scene.script('POST', `${GL}/deploy`, { tag: saved.json.tag })).json.result, 'live')
  for (const name of await readdir(scene.live('archive/gl_config.json')))
    assert.equal((await stat(scene.live(join('archive/gl_config.json', name)))).mode & 0o777, 0o600, name)
  for (const folder of ['working', 'archive', 'archive/gl_config.json'])
    assert.equal((await stat(scene.live(folder))).mode & 0o777, 0o700, folder)
})

test('a symbolic link instead of a draft is neither read nor written', async () => {
  await using scene = await startScene()
  await mkdir(scene.live('working'), { recursive: true })
  const elsewhere = scene.live('elsewhere.json')
  const text = JSON.stringify({ draft: '{"a":1}', base: '', saved_at: '', saved_by: '' })
  await writeFile(elsewhere, text)
  await symlink(elsewhere, scene.live('working/gl_config.json.draft.json'))
  assert.equal((await read(scene)).draft, null)
  assert.equal((await saveChange(scene)).status, 200)
  assert.equal(await readFile(elsewhere, 'utf8'), text)
  assert.equal((await read(scene)).draft?.conflict, false)
})

for (const [what, place] of [
  ['the versions of a file', 'archive/gl_config.json'],
  ['the list of versions', 'archive/gl_config.json/log.jsonl'],
] as const) {
  test(`a symbolic link instead of ${what} stops a deploy before any change`, async () => {
    await using scene = await startScene()
    const live = await readFile(scene.live('gl_config.json'), 'utf8')
    const saved = await saveChange(scene)
    await mkdir(scene.live('elsewhere'))
    await writeFile(scene.live('elsewhere/file'), 'mine')
    await mkdir(scene.live(join(place, '..')), { recursive: true })
    await symlink(scene.live(place.endsWith('.jsonl') ? 'elsewhere/file' : 'elsewhere'), scene.live(place))
    const answer = await scene.script('POST', `${GL}/deploy`, { tag: saved.json.tag })
    assert.equal(answer.json.error.code, 'NOT_WRITABLE', answer.text.slice(0, 300))
    assert.equal(await readFile(scene.live('gl_config.json'), 'utf8'), live)
    assert.deepEqual(await readdir(scene.live('elsewhere')), ['file'])
    assert.equal(await readFile(scene.live('elsewhere/file'), 'utf8'), 'mine')
    await rm(scene.live(place))
  })
}

test('a draft that the file system refuses is NOT_WRITABLE with the reason, for a save, a restore and a discard', async () => {
  await using scene = await startScene()
  const { tag } = await read(scene)
  const digest = await archivedText(scene, '{"log_level":"INFO"}')
  // No folder can be made below a file, by root neither.
  await writeFile(scene.live('working'), '')
  for (const { status, json } of [
    await saveChange(scene),
    await scene.script('POST', `${GL}/archive/${digest}/restore`, { tag }),
    await scene.script('DELETE', `${GL}/draft?tag=${tag}`),
  ]) {
    assert.deepEqual([status, json.error.code], [500, 'NOT_WRITABLE'])
    assert.match(json.error.message, /\((?:ENOTDIR|EEXIST)\)/)
  }
})

/** Puts a text among the versions of gl_config.json and returns its digest. */
async function archivedText(scene: Scene, text: string): Promise<string> {
  const hex = createHash('sha256').update(text).digest('hex')
  await mkdir(scene.live('archive/gl_config.json'), { recursive: true })
  await writeFile(scene.live(`archive/gl_config.json/${hex}`), text)
  return `sha256:${hex}`
}

test('a list of versions of any length shows the newest ones', async () => {
  await using scene = await startScene()
  const digest = await archivedText(scene, '{"log_level":"INFO"}')
  const line = (note: string) => JSON.stringify({ digest, time: 'then', origin: 'found', name: '', note, bytes: 1 })
  const old = `${line('old'.repeat(1_000))}\n`
  const path = scene.live('archive/gl_config.json/log.jsonl')
  await writeFile(path, `${old.repeat(Math.ceil((65 * 1024 * 1024) / old.length))}${line('new')}\n`)
  const { entries } = endpoints.archive.answer.parse((await scene.script('GET', `${GL}/archive`)).json)
  assert.equal(entries[0]?.note, 'new')
  assert.equal(entries.length, 1_000)
})
