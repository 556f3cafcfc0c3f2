import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { endpoints } from '@llm-gateway/gui-api'
import { LITERAL_KEY, startScene } from './fixture/interface-scene.ts'

const GL = '/api/v1/files/gl_config.json'

test('an added and deployed router answers its callers, and its digest is live', async () => {
  await using scene = await startScene({ gateway: true })
  const file = await scene.script('GET', GL)
  assert.equal(file.json.check.result, 'valid')
  const value = { path: '/added/', outbound: { url: `${scene.gatewayUrl}/echo/` } }
  const edits = [{ op: 'insert', path: ['routers', 3], value }]
  const saved = await scene.script('PUT', `${GL}/draft`, { tag: file.json.tag, edits })
  assert.equal(saved.status, 200, saved.text)
  assert.equal(saved.json.draft.saved_by, 'script')
  assert.deepEqual(JSON.parse(await readFile(scene.live('gl_config.json'), 'utf8')).routers.length, 3)

  const deployed = await scene.script('POST', `${GL}/deploy`, { tag: saved.json.tag, note: 'one more' })
  assert.equal(deployed.json.result, 'live', deployed.text)
  assert.equal(deployed.json.digest, saved.json.tag)
  const call = { method: 'POST', body: '{"said":"hello"}', headers: { 'content-type': 'application/json' } }
  assert.deepEqual(await (await fetch(`${scene.gatewayUrl}/added/`, call)).json(), { said: 'hello' })
  const live = JSON.parse(await readFile(scene.live('gl_config.json'), 'utf8'))
  assert.deepEqual(live.routers[0].outbound.headers, { 'Api-Key': [LITERAL_KEY] })

  const routers = await scene.script('GET', '/api/v1/routers')
  const found = Object.fromEntries(
    endpoints.routers.answer.parse(routers.json).routers.map(({ path, deployed }) => [path, deployed]),
  )
  assert.deepEqual(found, {
    '/keyed/': 'live',
    '/restricted/': 'live',
    '/standard/': 'live',
    '/added/': 'live',
    '/echo/': 'live',
  })

  const archive = await scene.script('GET', `${GL}/archive`)
  const entries = endpoints.archive.answer
    .parse(archive.json)
    .entries.map(({ origin, note, live, digest }) => [origin, note, live, digest])
  assert.deepEqual(entries, [
    ['deployed', 'one more', true, saved.json.tag],
    ['found', '', false, file.json.tag],
  ])
  const earlier = await scene.script('GET', `${GL}/archive/${file.json.tag}`)
  assert.equal(earlier.json.text, file.json.text)

  const restored = await scene.script('POST', `${GL}/archive/${file.json.tag}/restore`, { tag: saved.json.tag })
  assert.equal(restored.json.tag, file.json.tag)
  const back = await scene.script('POST', `${GL}/deploy`, { tag: file.json.tag })
  assert.equal(back.json.result, 'live', back.text)
  assert.equal((await fetch(`${scene.gatewayUrl}/added/`, call)).status, 404)
})

test('no call fails while drafts are deployed', async () => {
  await using scene = await startScene({ gateway: true })
  const stop = new AbortController()
  let calls = 0
  const call = async () => {
    while (!stop.signal.aborted) {
      const answer = await fetch(`${scene.gatewayUrl}/echo/`, { method: 'POST', body: '{"n":1}' })
      assert.equal(answer.status, 200)
      assert.deepEqual(await answer.json(), { n: 1 })
      calls += 1
    }
  }
  const callers = Promise.all(Array.from({ length: 8 }, call))
  let { tag } = (await scene.script('GET', GL)).json
  for (let number = 1; number <= 3; number += 1) {
    const edits = [{ op: 'set', path: ['limits', 'drain_ms'], value: number * 1000 }]
    const saved = await scene.script('PUT', `${GL}/draft`, { tag, edits })
    const deployed = await scene.script('POST', `${GL}/deploy`, { tag: saved.json.tag })
    assert.equal(deployed.json.result, 'live', deployed.text)
    tag = saved.json.tag
  }
  stop.abort()
  await callers
  assert.ok(calls > 100, `${calls} calls`)
})

test('a router that the gateway rejects is not reported as live', async () => {
  await using scene = await startScene({ gateway: true })
  const file = await scene.script('GET', GL)
  const edits = [{ op: 'insert', path: ['routers', 3], value: { path: '/lost/', outbound: { url: '${NOT_SET}' } } }]
  const saved = await scene.script('PUT', `${GL}/draft`, { tag: file.json.tag, edits })
  const deployed = await scene.script('POST', `${GL}/deploy`, { tag: saved.json.tag, accept_rejected: true })
  assert.equal(deployed.json.result, 'rejected')
  const { routers } = endpoints.routers.answer.parse((await scene.script('GET', '/api/v1/routers')).json)
  const states = routers.map(({ path, state, deployed }) => `${path} ${state} ${deployed}`)
  assert.ok(states.includes('/lost/ rejected rejected'), states.join('\n'))
  assert.ok(states.includes('/standard/ active live'), states.join('\n'))
})
