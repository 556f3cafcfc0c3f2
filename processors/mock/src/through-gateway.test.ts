import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type Scene, startScene } from '@llm-gateway/test/fake/scene'
import { EMPTY } from './mock-under-test.ts'
import { type RunningMock, startMock } from './running-mock-under-test.ts'

// Rules: docs/reference/processors.md#mock, docs/reference/sessions.md#header

const REPLAYED = ['/service/standard/', '/pool/', '/pool/gpt4/', '/restricted/', '/pool/dud/']
const MOCKS = [...REPLAYED.map((path) => `/mock${path}`), '/mock/']
const KEY = { headers: { 'Api-Key': ['the-key'] } }

const started: AsyncDisposable[] = []
let scene: Scene
let mock: RunningMock

before(async () => {
  scene = await startScene({
    config: readmeRows(),
    routers: (url) => [
      ...['/service/standard/', '/pool/', '/pool/gpt4/'].map((path) => ({ path, outbound: { url } })),
      { path: '/restricted/', ingress: KEY, outbound: { url } },
      { path: '/pool/dud/', outbound: { url: 'http://127.0.0.1:1/' } },
      { path: '/mock/restricted/', ingress: KEY, outbound: { url: 'https://localhost' } },
      ...MOCKS.filter((path) => path !== '/mock/restricted/').map((path) => ({
        path,
        outbound: { url: 'https://localhost' },
      })),
    ],
  })
  started.unshift(scene)
  mock = await startMock(scene.nats, { recording_bytes: 8 * 1024 * 1024 })
  started.unshift(mock)
})

after(async () => {
  for (const part of started) await part[Symbol.asyncDispose]()
})

async function post(path: string, body: unknown = { messages: [] }, headers: Readonly<Record<string, string>> = {}) {
  const answer = await fetch(`${scene.gateway.url}${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  return { answer, text: await answer.text() }
}

/** Makes a call and waits for its record; the mock has recorded the answer by then. */
async function callAndRecord(path: string, body?: unknown, headers?: Readonly<Record<string, string>>) {
  const called = await post(path, body, headers)
  return { ...called, record: await scene.recordOf(called.answer) }
}

test('/mock + router path gives payload, status and headers without the LLM API', async () => {
  scene.llm.respond((request) => ({
    kind: 'answer',
    status: 201,
    headers: [
      ['Content-Type', 'application/json'],
      ['X-Model', 'gpt'],
      ['Session-Id', 'A_1_2_3'],
      ['Set-Cookie', 'secret=1'],
    ],
    body: JSON.stringify({ number: request.number, text: 'Grüße' }),
  }))
  const { text, answer } = await callAndRecord('/service/standard/chat/completions?api-version=1')
  const calls = scene.llm.requests.total
  const replays = [
    await callAndRecord('/mock/service/standard/chat/completions'),
    await callAndRecord('/mock/service/standard/'),
  ]
  assert.equal(scene.llm.requests.total, calls)
  for (const replay of replays) {
    assert.equal(replay.text, text)
    assert.equal(replay.answer.status, 201)
    assert.equal(replay.answer.headers.get('x-model'), 'gpt')
    assert.equal(replay.answer.headers.get('content-type'), 'application/json')
    assert.equal(replay.answer.headers.get('set-cookie'), null)
    assert.equal(replay.record.record.request?.control, '/service/standard/')
    assert.equal(replay.record.record.response?.egress_status_code, 201)
  }
  // Each request has a session id of its own.
  const ids = [answer, ...replays.map((replay) => replay.answer)].map(({ headers }) => headers.get('session-id'))
  assert.equal(new Set(ids).size, 3)
  assert.ok(!ids.includes('A_1_2_3'))
})

test('request.control is null for a call that is not replayed', async () => {
  const { record } = await callAndRecord('/service/standard/chat')
  assert.equal(record.record.request?.control, null)
})

test('without a recording the answer is 404 MOCK_EMPTY', async () => {
  const { answer, text } = await post('/mock/pool/dud/')
  assert.equal(answer.status, 404)
  assert.deepEqual(JSON.parse(text), EMPTY)
  // A call without an answer isn't recorded.
  assert.equal((await callAndRecord('/pool/dud/')).answer.status, 502)
  assert.equal((await post('/mock/pool/dud/')).answer.status, 404)
})

test("an LLM API's error is replayed as the error it was", async () => {
  const body = '{"error":{"code":"slow"}}'
  scene.llm.respond(() => ({ kind: 'answer', status: 429, headers: [['Retry-After', '7']], body }))
  await callAndRecord('/pool/')
  const { answer, text } = await post('/mock/pool/chat')
  assert.deepEqual([answer.status, answer.headers.get('retry-after'), text], [429, '7', body])
})

test('a replay router asks for the key of its router', async () => {
  scene.llm.respond(undefined)
  const key = { 'Api-Key': 'the-key' }
  const { text } = await callAndRecord('/restricted/chat/completions', { messages: [] }, key)
  assert.equal((await post('/mock/restricted/')).answer.status, 401)
  assert.equal((await post('/mock/restricted/', {}, key)).text, text)
})

test('a recorded stream is replayed as the message it was, in JSON', async () => {
  scene.llm.respond(undefined)
  const { text, record } = await callAndRecord('/pool/gpt4/chat/completions', { messages: [], stream: true })
  assert.match(text, /^data: /)
  const { answer, text: replayed } = await post('/mock/pool/gpt4/chat/completions', { messages: [], stream: true })
  assert.equal(answer.headers.get('content-type'), 'application/json')
  assert.deepEqual(JSON.parse(replayed), record.record.response?.egress_payload)
  assert.equal(typeof JSON.parse(replayed).choices[0].message.content, 'string')
})

test('recordings of two routers made in parallel never mix, even if their paths are nested', async () => {
  scene.llm.respond((request) => ({ kind: 'answer', body: JSON.stringify({ echoed: request.json() }) }))
  const paths = ['/pool/', '/pool/gpt4/', '/service/standard/']
  for (const path of paths) await callAndRecord(path, { path, turn: -1 })
  const callers = paths.flatMap((path) => [
    repeat(30, async (turn) => void (await post(`${path}chat`, { path, turn }))),
    repeat(30, async (turn) => {
      const { answer, text } = await post(`/mock${path}chat`)
      assert.equal(answer.status, 200, `${path} ${turn}: ${text}`)
      assert.equal(JSON.parse(text).echoed.path, path)
    }),
  ])
  await Promise.all(callers)
})

async function repeat(times: number, run: (turn: number) => Promise<void>): Promise<void> {
  for (let turn = 0; turn < times; turn += 1) await run(turn)
}

test('a payload of several megabytes is replayed whole; a payload over the bound leaves the last recording', async () => {
  const large = 'x'.repeat(5 * 1024 * 1024)
  scene.llm.respond(() => ({ kind: 'answer', body: JSON.stringify({ large }) }))
  const { text } = await callAndRecord('/service/standard/')
  assert.equal((await post('/mock/service/standard/')).text, text)
  scene.llm.respond(() => ({ kind: 'answer', body: JSON.stringify({ large, larger: large }) }))
  await callAndRecord('/service/standard/')
  assert.equal((await post('/mock/service/standard/')).text, text)
})

test('a text is replayed as a JSON string and a missing body as null', async () => {
  scene.llm.respond(() => ({ kind: 'answer', headers: [['Content-Type', 'text/plain']], body: 'plain' }))
  await callAndRecord('/service/standard/')
  assert.equal((await post('/mock/service/standard/')).text, '"plain"')
  scene.llm.respond(() => ({ kind: 'answer', body: '' }))
  await callAndRecord('/service/standard/')
  assert.equal((await post('/mock/service/standard/')).text, 'null')
})

test('a single /mock/ finds the router in the path', async () => {
  // The path isn't a router of this gateway and has no replay router; the mock knows it from another gateway on the
  // bus.
  const message = { gl_path: '/elsewhere/', egress_status_code: 200, egress_headers: {}, egress_payload: { of: 'it' } }
  await mock.send(message)
  const { text, record } = await callAndRecord('/mock/elsewhere/chat/completions')
  assert.deepEqual(JSON.parse(text), { of: 'it' })
  assert.equal(record.record.request?.control, '/elsewhere/')
  assert.equal((await post('/mock/elsewhere')).answer.status, 404)
})

/** Returns the rows of the README, with this test's routers and longer timeouts for a busy machine. */
function readmeRows(): { readonly request: unknown; readonly response: unknown } {
  const text = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8')
  const block = /## gl_config\.json.*?```json\n(.*?)```/s.exec(text)?.[1] ?? ''
  const rows = block
    .replaceAll('"routers": ["/mock/restricted/"]', `"routers": ${JSON.stringify(MOCKS)}`)
    .replaceAll('"timeout": 1000', '"timeout": 20000')
    .replace('"routers": ["/restricted/"]', `"routers": ${JSON.stringify(REPLAYED)}`)
  const { request, response } = JSON.parse(rows)
  assert.equal(JSON.stringify({ request, response }).split(JSON.stringify(MOCKS)).length, 3)
  return { request, response }
}
