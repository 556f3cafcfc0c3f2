import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { endpoints, MASKED } from '@llm-gateway/gui-api'
import { type Scene, startScene } from './fixture/interface-scene.ts'

const GL = '/api/v1/files/gl_config.json'

const read = async (scene: Scene) => endpoints.file.answer.parse((await scene.script('GET', GL)).json)
const save = (scene: Scene, change: object) => scene.script('PUT', `${GL}/draft`, change)

test('a large draft is saved', async () => {
  await using scene = await startScene()
  const routers = Array.from({ length: 100 }, (_, index) => ({ path: `/r${index}/`, note: '"'.repeat(20_000) }))
  await writeFile(scene.live('gl_config.json'), JSON.stringify({ routers }))
  const { tag } = await read(scene)
  const saved = await save(scene, { tag, text: JSON.stringify({ routers, log_level: 'WARN' }) })
  assert.equal(saved.status, 200, saved.text.slice(0, 500))
  assert.equal((await read(scene)).draft?.digest, saved.json.tag)
})

test('masks in a text with very many routers are resolved in linear time', async () => {
  await using scene = await startScene()
  const routers = Array.from({ length: 30_000 }, (_, index) => ({ path: `/r${index}/`, disabled: true }))
  await writeFile(scene.live('gl_config.json'), JSON.stringify({ routers }))
  const { tag } = await read(scene)
  const text = JSON.stringify({ note: MASKED, routers: routers.toReversed() })
  assert.equal((await save(scene, { tag, text })).json.error.code, 'MASKED_NOWHERE')
})

test('a text that consists of question marks is scanned for addresses in linear time', async () => {
  await using scene = await startScene()
  const { tag } = await read(scene)
  assert.equal((await save(scene, { tag, text: JSON.stringify({ note: '?'.repeat(2_000_000) }) })).status, 200)
  assert.equal((await read(scene)).draft?.conflict, false)
})

for (const [what, depth] of [
  ['deeper than a file may be', 100],
  ['deeper than the stack', 200_000],
] as const) {
  test(`an edit ${what} is refused`, async () => {
    await using scene = await startScene()
    const { tag } = await read(scene)
    const raw = `{"tag":"${tag}","edits":[{"op":"set","path":["note"],"value":${'['.repeat(depth)}${']'.repeat(depth)}}]}`
    const headers = { authorization: 'Bearer gui-secret-5c2f81' }
    const answer = await scene.ask({ method: 'PUT', path: `${GL}/draft`, raw, headers })
    assert.equal(answer.json.error.code, 'BAD_REQUEST')
  })
}

test('edits that make a file too deep or too large are refused', async () => {
  await using scene = await startScene()
  const { tag } = await read(scene)
  let value: unknown = 1
  for (let depth = 0; depth < 50; depth += 1) value = [value]
  const deep = [
    { op: 'set', path: ['note'], value },
    { op: 'set', path: ['note', ...Array.from({ length: 49 }, () => 0)], value },
  ]
  assert.equal((await save(scene, { tag, edits: deep })).json.error.code, 'BAD_REQUEST')
  const large = [{ op: 'set', path: ['note'], value: 'x'.repeat(9 * 1024 * 1024) }]
  assert.equal((await save(scene, { tag, edits: large })).json.error.code, 'BAD_REQUEST')
})

test('a draft of several MB hardly uses the main thread', async () => {
  await using scene = await startScene()
  const routers = Array.from({ length: 20_000 }, (_, index) => ({
    path: `/r${index}/`,
    outbound: { url: 'https://localhost', headers: { 'Content-Type': ['application/json'], 'X-A': [`\${A${index}}`] } },
  }))
  const { tag } = await read(scene)
  const raw = JSON.stringify({ tag, text: JSON.stringify({ routers }) })
  const headers = { authorization: 'Bearer gui-secret-5c2f81' }
  const [before, own] = [process.cpuUsage(), process.threadCpuUsage()]
  const saved = await scene.send({ method: 'PUT', path: `${GL}/draft`, raw, headers })
  const [all, mine] = [process.cpuUsage(before), process.threadCpuUsage(own)]
  assert.equal(saved.status, 200, saved.text.slice(0, 500))
  const [total, share] = [all.user + all.system, mine.user + mine.system]
  // The test's own client runs in the same thread and is included.
  assert.ok(share < total / 4, `${share} of ${total} µs`)
})

test('a text with millions of values is refused, and a live file with millions of values is shown as too large', async () => {
  await using scene = await startScene()
  const { tag } = await read(scene)
  const headers = { authorization: 'Bearer gui-secret-5c2f81' }
  const live = await readFile(scene.live('gl_config.json'), 'utf8')
  for (const value of ['0', '""', '{"path":"/x/"}']) {
    const count = Math.floor((8 * 1024 * 1024 - 100) / (value.length + 1))
    const text = `{"routers":[${Array.from({ length: count }, () => value).join()}]}`
    const answer = await scene.send({ method: 'PUT', path: `${GL}/draft`, raw: JSON.stringify({ tag, text }), headers })
    assert.equal(answer.status, 400, answer.text.slice(0, 300))
    await writeFile(scene.live('gl_config.json'), text)
    const { check } = await read(scene)
    assert.deepEqual([check.result, check.fields[0]?.reason], ['invalid', 'size:'])
    assert.equal((await scene.script('GET', '/api/v1/overview')).status, 200)
    await writeFile(scene.live('gl_config.json'), live)
  }
  assert.equal((await read(scene)).draft, null)
})
