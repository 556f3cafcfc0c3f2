import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { endpoints } from '@llm-gateway/gui-api'
import { assertShortTurns } from '@llm-gateway/test/fake/short-turns'
import { type Scene, startScene } from './fixture/interface-scene.ts'
import { watchTurns } from './fixture/watch-turns.ts'

// Rules: docs/reference/web-api.md

/** Longest turn of the main thread, in CPU time. */
const LONGEST_TURN_MS = 100
const GL = '/api/v1/files/gl_config.json'
const headers = { authorization: 'Bearer gui-secret-5c2f81' }

const tagOf = async (scene: Scene) => endpoints.file.answer.parse((await scene.script('GET', GL)).json).tag
const times = (count: number, one: (index: number) => string) => Array.from({ length: count }, (_, i) => one(i)).join()

/** Small texts that take long to judge. */
const TEXTS: readonly (readonly [string, string])[] = [
  ['empty routers', `{"routers":[${times(16_000, () => '{}')}]}`],
  ['wrong routers', `{"routers":[${times(5_000, (index) => `{"path":${index}}`)}]}`],
  ['unknown keys', `{${times(9_000, (index) => `"key${index}":1`)}}`],
  ['references', JSON.stringify({ note: '${A}'.repeat(28_000) })],
]

for (const [what, text] of TEXTS) {
  test(`a small text with thousands of ${what} does not hold up the main thread`, async () => {
    await assertShortTurns(LONGEST_TURN_MS, async () => {
      await using scene = await startScene()
      const tag = await tagOf(scene)
      using turns = watchTurns()
      for (const turn of [
        { method: 'POST', path: `${GL}/check`, body: { tag, text } },
        { method: 'PUT', path: `${GL}/draft`, body: { tag, text } },
        { path: GL },
        { path: '/api/v1/routers' },
      ]) {
        const { status } = await scene.send({ ...turn, headers })
        assert.equal(status, 200, turn.path)
      }
      return turns.longestMs
    })
  })
}

test('hundreds of edits in one request do not hold up the main thread', async () => {
  const edits = Array.from({ length: 900 }, (_, index) => ({ op: 'set', path: [`key${index}`], value: 1 }))
  await assertShortTurns(LONGEST_TURN_MS, async () => {
    await using scene = await startScene()
    const tag = await tagOf(scene)
    using turns = watchTurns()
    const saved = await scene.send({ method: 'PUT', path: `${GL}/draft`, body: { tag, edits }, headers })
    assert.equal(saved.status, 200)
    return turns.longestMs
  })
})

test('more edits than a file of this size may have at once are refused with the reason', async () => {
  await using scene = await startScene()
  await writeFile(scene.live('gl_config.json'), JSON.stringify({ note: 'x'.repeat(7 * 1024 * 1024) }))
  const tag = await tagOf(scene)
  const save = (count: number) => {
    const edits = Array.from({ length: count }, (_, index) => ({ op: 'set', path: ['key'], value: index }))
    return scene.script('PUT', `${GL}/draft`, { tag, edits })
  }
  const { error } = (await save(1_000)).json
  assert.equal(error.code, 'BAD_REQUEST')
  assert.deepEqual(error.fields, [
    { path: ['body', 'edits', 9], message: 'The edits before are all that a file of this size may have at once.' },
  ])
  assert.equal((await save(5)).status, 200)
})
