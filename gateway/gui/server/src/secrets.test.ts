import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { endpoints, MASKED } from '@llm-gateway/gui-api'
import { LITERAL_KEY, type Scene, startScene } from './fixture/interface-scene.ts'

const GL = '/api/v1/files/gl_config.json'
const KEY_PLACE = ['routers', 0, 'outbound', 'headers', 'Api-Key']

const read = async (scene: Scene) => endpoints.file.answer.parse((await scene.script('GET', GL)).json)
const save = (scene: Scene, change: object) => scene.script('PUT', `${GL}/draft`, change)

/** Replaces the live file, as a person on the machine would. */
async function write(scene: Scene, config: object): Promise<void> {
  await writeFile(scene.live('gl_config.json'), JSON.stringify(config))
}
const withRouter = (outbound: object, more: object = {}) => ({
  ...more,
  routers: [{ path: '/keyed/', outbound: { url: 'https://localhost', ...outbound } }],
})

// The scene fails if an answer contains the key.
for (const [what, config] of [
  ['a nested header', withRouter({ headers: { 'X-Key': { a: [{ b: LITERAL_KEY }] } } })],
  ['a header in another case', withRouter({ headers: { AUTHORIZATION: [LITERAL_KEY] } })],
  ['a custom masked header', withRouter({ headers: { 'X-Mine': [LITERAL_KEY] } }, { masked_headers: ['x-mINE'] })],
  [
    'a custom masked header of a file that is not valid',
    withRouter({ headers: { 'X-Mine': [LITERAL_KEY] } }, { masked_headers: ['X-Mine', 5], gl_port: 'none' }),
  ],
  ['a password with @ and spaces', withRouter({ url: `https://user:p@ a${LITERAL_KEY}@host/` })],
  ['a parameter with an escaped name', withRouter({ url: `https://host/?api%2Dkey=${LITERAL_KEY}` })],
] as const) {
  test(`the secret of ${what} is not shown`, async () => {
    await using scene = await startScene()
    await write(scene, config)
    const { text } = await read(scene)
    assert.ok(text.includes(MASKED), text)
    assert.equal((await scene.script('GET', '/api/v1/routers')).status, 200)
  })
}

test('a secret with escaped and doubled key names is not shown', async () => {
  await using scene = await startScene()
  const headers = `{"\\u0041pi-Key":["${LITERAL_KEY}"],"Api-Key":["${LITERAL_KEY}"],"Api-Key":["x"]}`
  await writeFile(scene.live('gl_config.json'), `{"routers":[{"path":"/x/","outbound":{"headers":${headers}}}]}`)
  const { text } = await read(scene)
  assert.equal(text.split(MASKED).length, 4)
})

test('a number where a header’s key stands is not shown', async () => {
  await using scene = await startScene()
  await write(scene, withRouter({ headers: { 'Api-Key': [61_616_161] } }))
  assert.ok(!(await read(scene)).text.includes('61616161'))
})

for (const path of [
  ['routers', 0, 'outbound', 'headers', 'X-Seen'],
  ['routers', 0, 'outbound', 'endpoint'],
  ['note'],
] as const) {
  test(`a masked key that is copied to the visible place ${path.join('.')} is refused`, async () => {
    await using scene = await startScene()
    const { tag } = await read(scene)
    for (const [copied_from, value] of [
      [KEY_PLACE, [MASKED]],
      [[...KEY_PLACE, 0], MASKED],
    ]) {
      const saved = await save(scene, { tag, edits: [{ op: 'set', path, value, copied_from }] })
      assert.equal(saved.json.error?.code, 'MASKED_NOWHERE', saved.text)
    }
  })
}

for (const url of [`https://${MASKED}.host/`, `https://host/${MASKED}`, `https://host/?seen=${MASKED}`]) {
  test(`a masked part of an address that is moved to a visible place of the address is refused: ${url}`, async () => {
    await using scene = await startScene()
    await write(scene, withRouter({ url: `https://user:${LITERAL_KEY}@host/` }))
    const { tag, text } = await read(scene)
    const moved = await save(scene, { tag, text: text.replace(`https://${MASKED}@host/`, url) })
    assert.equal(moved.json.error?.code, 'MASKED_NOWHERE', moved.text)
    const kept = await save(scene, { tag, text: text.replace('@host/', '@other/?api-key=mine') })
    assert.equal(kept.status, 200, kept.text)
    const { draft } = JSON.parse(await readFile(scene.live('working/gl_config.json.draft.json'), 'utf8'))
    assert.ok(draft.includes(`https://user:${LITERAL_KEY}@other/?api-key=mine`))
  })
}

test('a header that only the draft masks is masked in the draft', async () => {
  await using scene = await startScene()
  const { tag } = await read(scene)
  const edits = [
    { op: 'set', path: ['masked_headers'], value: ['X-Mine'] },
    { op: 'set', path: ['routers', 0, 'outbound', 'headers', 'X-Mine'], value: [LITERAL_KEY] },
  ]
  const saved = await save(scene, { tag, edits })
  assert.equal(saved.status, 200)
  const level = { op: 'set', path: ['log_level'], value: 'WARN' }
  assert.equal((await save(scene, { tag: saved.json.tag, edits: [level] })).status, 200)
})
