import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Scene, startScene } from '../../fake/scene.ts'

// Rules: docs/reference/http.md#connections-to-the-llm-api

let scene: Scene

before(async () => {
  const at = (path: string, host: string) => (url: string) => ({
    path,
    outbound: { url: url.replace('127.0.0.1', host) },
  })
  const routers = [
    at('/llm/', '127.0.0.1'),
    at('/name/', 'localhost'),
    at('/mapped/', '[::ffff:127.0.0.1]'),
    at('/nat64/', '[64:ff9b::127.0.0.1]'),
    at('/number/', '2130706433'),
    at('/unspecified/', '0.0.0.0'),
  ]
  const outbound_deny = ['127.0.0.0/8', '::1/128']
  scene = await startScene({
    admin: true,
    routers: (url) => routers.map((router) => router(url)),
    config: { outbound_deny },
  })
})
after(() => scene.close())

async function ask(path: string): Promise<Response> {
  const answer = await fetch(`${scene.gateway.url}${path}chat/completions`, { method: 'POST', body: '{}' })
  await answer.arrayBuffer()
  return answer
}

for (const path of ['/llm/', '/name/', '/mapped/', '/nat64/', '/number/', '/unspecified/']) {
  test(`${path}, which outbound_deny denies, is 502 UPSTREAM_DENIED, policy_denied, and nothing is connected`, async () => {
    const answer = await ask(path)
    assert.deepEqual([answer.status, answer.headers.get('gateway-error')], [502, 'UPSTREAM_DENIED'])
    const { record } = await scene.recordOf(answer)
    assert.equal(record.error_type, 'policy_denied')
    assert.equal(scene.llm.connections, 0)
  })
}

test('a reload changes outbound_deny, for pooled connections too', async () => {
  const { gateway, llm } = scene
  await gateway.waitForDigest(await gateway.editConfig({ outbound_deny: ['10.0.0.0/8'] }))
  assert.equal((await ask('/llm/')).status, 200)
  assert.equal((await ask('/name/')).status, 200)
  // A running call ends at its old LLM API.
  const gate = Promise.withResolvers<void>()
  llm.respond(() => ({
    kind: 'answer',
    body: (async function* () {
      yield 'one '
      await gate.promise
      yield 'two'
    })(),
  }))
  const running = await fetch(`${scene.url}/chat/completions`, { method: 'POST', body: '{}' })
  await gateway.waitForDigest(await gateway.editConfig({ outbound_deny: ['127.0.0.1/32'] }))
  assert.equal((await ask('/llm/')).headers.get('gateway-error'), 'UPSTREAM_DENIED')
  gate.resolve()
  assert.equal(await running.text(), 'one two')
})
