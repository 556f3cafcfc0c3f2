import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { CALLER_KEY, CHAT_PATH, chat, type ExampleSet, startExampleSet } from '../../fake/example-set.ts'
import { jsonAnswer } from '../../fake/llm-answer.ts'

// Rules: docs/reference/processors.md#mock, docs/reference/sessions.md#header

describe('the mock through the gateway, with the rows of conf/examples/processors', () => {
  let set: ExampleSet
  before(async () => {
    set = await startExampleSet({ processors: ['mock', 'broker'] })
  })
  after(() => set.close())

  /** Makes a call that is recorded. Its record waits for the async rows, so the recording is stored by then. */
  const record = async (path: string, text: string, status = 200): Promise<void> => {
    const headers: readonly (readonly [string, string])[] = [['X-Kept', text]]
    set.llm.respond(() => jsonAnswer({ said: text }, { status, headers }))
    const { status: seen } = await set.ask(path, chat('Hello'), { 'Api-Key': CALLER_KEY })
    assert.equal(seen, status)
    set.llm.requests.clear()
  }

  it('the mock answers 404 MOCK_EMPTY without a call when nothing was recorded', async () => {
    const { status, json } = await set.ask(`/mock/json/${CHAT_PATH}`, chat('Hello'))
    assert.equal(status, 404)
    assert.match(JSON.stringify(json), /"code":"MOCK_EMPTY"/)
    assert.equal(set.llm.requests.total, 0)
  })

  for (const [path, status] of [
    ['/json/', 200],
    ['/markdown/', 200],
    ['/service/capped/', 418],
  ] as const) {
    it(`the mock replays the last answer of ${path} with ${status} and its headers, without the LLM API`, async () => {
      await record(`${path}${CHAT_PATH}`, 'first')
      await record(`${path}${CHAT_PATH}`, `last of ${path}`, status)
      const replay = await set.ask(`/mock${path}${CHAT_PATH}`, chat('Anything'))
      assert.deepEqual([replay.status, replay.json], [status, { said: `last of ${path}` }])
      assert.equal(replay.headers.get('x-kept'), `last of ${path}`)
      assert.equal(set.llm.requests.total, 0)
      assert.equal(replay.record.field('request.control'), path)
      assert.equal(replay.record.field('response.gl_path'), `/mock${path}`)
    })
  }

  it('the record of a forwarded call has request.control null', async () => {
    set.llm.respond(undefined)
    const { record: seen } = await set.ask(`/service/capped/${CHAT_PATH}`, chat('Hello'))
    assert.equal(seen.field('request.control'), null)
  })

  it('each replay has its own Session-Id', async () => {
    await record(`/json/${CHAT_PATH}`, 'again')
    const replays = await Promise.all([1, 2, 3].map(() => set.ask(`/mock/json/${CHAT_PATH}`, chat('Hello'))))
    assert.equal(new Set(replays.map(({ headers }) => headers.get('session-id'))).size, 3)
  })

  it('a replay requires the key of the replayed router', async () => {
    await record(`/restricted/${CHAT_PATH}`, 'secret answer')
    const headers = { 'Content-Type': 'application/json' }
    const refused = await fetch(`${set.url}/mock/restricted/${CHAT_PATH}`, { method: 'POST', headers, body: '{}' })
    assert.equal(refused.status, 401)
    const replay = await set.ask(`/mock/restricted/${CHAT_PATH}`, {}, { 'Api-Key': CALLER_KEY })
    assert.deepEqual(replay.json, { said: 'secret answer' })
    assert.ok(!replay.record.text.includes(CALLER_KEY))
  })

  it('the mock replays for each of two routers recorded in parallel its own answers', async () => {
    const paths = ['/markdown/', '/json/', '/service/capped/']
    set.llm.respond((request) => jsonAnswer({ said: request.header('x-router')[0] }))
    const rounds = Array.from({ length: 10 }, () => paths).flat()
    await Promise.all(rounds.map((path) => set.ask(`${path}${CHAT_PATH}`, chat('Hello'), { 'X-Router': path })))
    for (const path of paths) {
      assert.deepEqual((await set.ask(`/mock${path}${CHAT_PATH}`, chat('Hi'))).json, { said: path })
    }
  })

  it('the mock separates /pool/ from its sub-routers and records a re-routed call under both', async () => {
    set.llm.respond((request) => jsonAnswer({ said: request.url.split('/')[3] }))
    for (const name of ['gpt4', 'gpt35turbo']) await set.ask(`/pool/${name}/`, chat('Hello'))
    // The pool may pick the dead member once, which disables it.
    const first = await set.ask('/pool/', chat('Hello'))
    const second = first.status === 200 ? first : await set.ask('/pool/', chat('Hello'))
    assert.equal(second.status, 200)
    const picked = String(second.record.field('response.gl_path')).split('/')[2]
    assert.deepEqual((await set.ask('/mock/pool/', chat('Hi'))).json, { said: picked })
    for (const name of ['gpt4', 'gpt35turbo']) {
      assert.deepEqual((await set.ask(`/mock/pool/${name}/`, chat('Hi'))).json, { said: name })
    }
  })
})
