import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { Agent, request } from 'undici'
import type { LlmAnswer } from '../../fake/llm-answer.ts'
import { type Scene, startScene } from '../../fake/scene.ts'

// Rules: docs/reference/http.md#connections-to-the-llm-api

let scene: Scene

before(async () => {
  scene = await startScene()
})
after(() => scene.close())
beforeEach(() => {
  scene.llm.respond(undefined)
  scene.llm.requests.clear()
})

function post(signal?: AbortSignal): Promise<Response> {
  const init = { method: 'POST', body: '{"model":"m"}' }
  return fetch(`${scene.url}/chat/completions`, signal === undefined ? init : { ...init, signal })
}

test('4,000 calls, 16 at once, open at most 5 new upstream connections for each 1,000 calls', async () => {
  const { llm, url } = scene
  const calls = 4_000
  const callers = new Agent({ connections: 16, pipelining: 1 })
  let left = calls
  const before = llm.connections
  await Promise.all(
    Array.from({ length: 16 }, async () => {
      while (left > 0) {
        left -= 1
        const { statusCode, body } = await request(`${url}/models`, { dispatcher: callers })
        assert.equal(statusCode, 200)
        await body.dump()
      }
    }),
  )
  await callers.close()
  const opened = llm.connections - before
  assert.ok(opened <= (5 * calls) / 1_000, `${opened} connections for ${calls} calls`)
})

test('pooled sockets that closed before the first byte are replaced without an error for the caller', async () => {
  const { llm } = scene
  for (let round = 0; round < 20; round += 1) {
    await (await post()).arrayBuffer()
    // The call and the reset cross on the wire.
    const calling = post()
    llm.cutConnections()
    assert.equal((await calling).status, 200, `round ${round}`)
  }
})

const endings: readonly (readonly [string, () => LlmAnswer])[] = [
  ['resets', () => ({ kind: 'reset' })],
  ['closes', () => ({ kind: 'close' })],
]

for (const [how, respond] of endings) {
  test(`a call whose bytes were sent is never repeated: the LLM API ${how} after reading, on new and pooled connections`, async () => {
    const { llm } = scene
    for (const isPooled of [false, true]) {
      llm.cutConnections()
      llm.respond(undefined)
      if (isPooled) await (await post()).arrayBuffer()
      llm.requests.clear()
      llm.respond(respond)
      const answer = await post()
      assert.deepEqual([answer.status, answer.headers.get('gateway-error')], [502, 'UPSTREAM_RESET'])
      assert.equal(await answer.text(), '')
      assert.equal(llm.requests.total, 1)
      assert.equal((await scene.recordOf(answer)).record.error_type, 'provider_connect')
    }
  })
}

test('a connection that was cancelled in mid-answer carries no other call', async () => {
  const { llm } = scene
  llm.respond(() => ({ kind: 'answer', headers: [['Content-Length', '100']], body: 'part', ending: 'hang' }))
  const abort = new AbortController()
  const answer = await post(abort.signal)
  assert.equal(answer.status, 200)
  abort.abort()
  const [first] = await llm.requests.waitUntil(([seen]) => seen?.aborted === true)
  llm.respond(undefined)
  const next = await post()
  assert.match(await next.text(), /Bill Gates/)
  assert.notEqual(llm.requests.entries[1]?.socketId, first?.socketId)
})

test('an answer that comes before the whole request was read reaches the caller', async () => {
  const { llm } = scene
  llm.respond(() => ({ kind: 'answer', status: 413, headers: [['Connection', 'close']], body: '{"early":true}' }), {
    on: 'headers',
  })
  const body = JSON.stringify('x'.repeat(4 * 1024 * 1024))
  const answer = await fetch(`${scene.url}/chat/completions`, { method: 'POST', body })
  assert.deepEqual([answer.status, await answer.json()], [413, { early: true }])
})
