import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MASKED } from '@llm-gateway/protocol'
import { EMPTY, mockUnderTest } from './mock-under-test.ts'

// Rules: docs/reference/processors.md#mock

const HEADERS = { 'Content-Type': ['application/json'], 'X-Model': ['a', 'b'] }

test('a replay gives payload, headers and status of the last answer, and its control names the router', async () => {
  const { record, replay, counted } = mockUnderTest()
  await record('/service/standard/', { id: 1 })
  await record('/service/standard/', { id: 2 }, { egress_status_code: 201, egress_headers: HEADERS })
  const replayed = await replay('/mock/service/standard/', 'llmapi/deployments/gpt4/chat/completions')
  assert.deepEqual(replayed, { control: '/service/standard/', payload: { id: 2 }, status: 201, headers: HEADERS })
  assert.deepEqual(counted, ['recorded', 'recorded', 'replay'])
})

test('without a recording the answer is a 404 with the code MOCK_EMPTY, unchanged by the response phase', async () => {
  const { send, replay, counted } = mockUnderTest()
  const request = { gl_path: '/mock/service/standard/', ingress_subpath: 'chat' }
  assert.deepEqual(await send(request), { control: EMPTY, control_status_code: 404 })
  const { payload, status } = await replay('/mock/service/standard/')
  assert.deepEqual({ payload, status }, { payload: EMPTY, status: 404 })
  assert.deepEqual(counted, ['empty', 'empty'])
})

test('after a re-route the answer is recorded for both routers', async () => {
  const { record, replay } = mockUnderTest()
  await record('/pool/gpt4/', 'by gpt4', { original_gl_path: '/pool/' })
  assert.equal((await replay('/mock/pool/gpt4/')).payload, 'by gpt4')
  assert.equal((await replay('/mock/pool/')).payload, 'by gpt4')
  await record('/pool/dud/', 'by dud', { original_gl_path: '/pool/' })
  assert.equal((await replay('/mock/pool/gpt4/')).payload, 'by gpt4')
  assert.equal((await replay('/mock/pool/')).payload, 'by dud')
})

test('the longest recorded prefix wins, through a router of its own and through a single /mock/', async () => {
  const { record, choose } = mockUnderTest()
  for (const path of ['/', '/pool/', '/pool/gpt4/']) await record(path, path)
  const CHOICES: readonly (readonly [string, string, string | typeof EMPTY])[] = [
    ['/mock/pool/gpt4/', 'chat', '/pool/gpt4/'],
    ['/mock/pool/', 'gpt4/chat', '/pool/gpt4/'],
    ['/mock/pool/', 'gpt4x/chat', '/pool/'],
    ['/mock/pool/', 'gpt4', EMPTY],
    ['/mock/pool/', '', '/pool/'],
    ['/mock/', 'pool/gpt4/', '/pool/gpt4/'],
    ['/mock/', 'pool/gpt4/a/b/c', '/pool/gpt4/'],
    ['/mock/', 'pool/', '/pool/'],
    ['/mock/', 'pool', EMPTY],
    ['/mock/', 'elsewhere/chat', '/'],
    ['/mock/', '', '/'],
    ['/mock/', `pool/${'/'.repeat(20_000)}`, '/pool/'],
    // A caller of the replay router of /pool/dud/ may lack the key of /pool/, so /pool/'s recording must not be replayed.
    ['/mock/service/standard/', 'chat', EMPTY],
    ['/mock/pool/dud/', '', EMPTY],
  ]
  for (const [path, subpath, chosen] of CHOICES)
    assert.deepEqual(await choose(path, subpath), chosen, `${path} ${subpath.slice(0, 20)}`)
})

test('the control names the router: a recording made between the phases is replayed only if it is of that router', async () => {
  const { record, send } = mockUnderTest()
  await record('/pool/', 'first')
  const answer = await send({ gl_path: '/mock/', ingress_subpath: 'pool/gpt4/' })
  assert.equal(answer?.control, '/pool/')
  await record('/pool/gpt4/', 'of another router')
  await record('/pool/', 'second')
  const replayed = await send({ gl_path: '/mock/', egress_payload: '/pool/', egress_status_code: 503 })
  assert.deepEqual(replayed, { egress_payload: 'second', egress_headers: {}, egress_status_code: 200 })
})

test('a recording that is evicted between the phases gives a 404', async () => {
  const { record, send } = mockUnderTest({ limits: { recordings: 1 } })
  await record('/a/', 'a')
  assert.equal((await send({ gl_path: '/mock/a/', ingress_subpath: '' }))?.control, '/a/')
  await record('/b/', 'b')
  const answer = await send({ gl_path: '/mock/a/', egress_payload: '/a/', egress_status_code: 503 })
  assert.deepEqual(answer, { egress_payload: EMPTY, egress_headers: {}, egress_status_code: 404 })
})

test('the status is 503 until the response row fills in the replay', async () => {
  const { record, send } = mockUnderTest()
  await record('/a/', 'a')
  assert.deepEqual(await send({ gl_path: '/mock/a/' }), { control: '/a/', control_status_code: 503 })
})

test("an answer on a replay router that isn't the mock's control is not changed", async () => {
  const { record, send } = mockUnderTest()
  await record('/a/', 'of a')
  await record('/a/b/', 'of b')
  for (const payload of [{ is_toxic: true }, null, ['/a/b/'], 'text', '/a/', '/a/b', 7]) {
    const message = { gl_path: '/mock/a/b/', egress_payload: payload, egress_status_code: 200 }
    assert.equal(await send(message), undefined, JSON.stringify(payload))
  }
})

test('the recording is read after the delay, so the replay is the newest answer', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const { record, replay } = mockUnderTest({ wait: () => promise })
  await record('/a/', 'before')
  const replayed = replay('/mock/a/')
  await record('/a/', 'after')
  resolve()
  assert.equal((await replayed).payload, 'after')
})

test('routers_prefix names the routers that replay, and those only', async () => {
  const { record, replay, choose } = mockUnderTest({ routersPrefix: '/test/replay' })
  await record('/mock/a/', 'an LLM API like any other')
  assert.equal((await replay('/test/replay/mock/a/')).payload, 'an LLM API like any other')
  assert.equal(await choose('/mock/mock/a/'), undefined)
  assert.equal(await choose('/test/replays/mock/a/'), undefined)
})

test('masked, hop-by-hop and length headers and the recorded session are not replayed', async () => {
  const { record, replay } = mockUnderTest({ sessionHeader: 'x-session' })
  const egress_headers =
    JSON.parse(`{"Content-Type":["application/json"],"Set-Cookie":["${MASKED}"],"X-Session":["A_1_2_0"],
    "Session-Id":["kept: it is not the session header here"],"Transfer-Encoding":["chunked"],"connection":["close"],
    "Content-Length":["9"],"content-encoding":["gzip"],"Keep-Alive":["timeout=5"],"__proto__":["harmless"],
    "X-Number":[1],"X-Text":"text","X-None":[],"X-Two":["a","${MASKED}"]}`)
  await record('/a/', {}, { egress_headers })
  const { headers } = await replay('/mock/a/')
  assert.equal(
    JSON.stringify(headers),
    '{"Content-Type":["application/json"],"Session-Id":["kept: it is not the session header here"],"__proto__":["harmless"]}',
  )
})

test('payloads of every kind come back as they were: null, text, and an object with a member called __proto__', async () => {
  const { record, replay } = mockUnderTest()
  const payloads = [null, 'text', '', 0, false, [], [1, [2]], JSON.parse('{"__proto__":{"polluted":1},"a":{}}')]
  for (const payload of payloads) {
    await record('/a/', payload)
    assert.equal(JSON.stringify((await replay('/mock/a/')).payload), JSON.stringify(payload))
  }
  assert.equal(Object.hasOwn(Object.prototype, 'polluted'), false)
})

test('router paths such as /__proto__/ and /constructor/ are paths like any other', async () => {
  const { record, replay, choose } = mockUnderTest()
  for (const path of ['/__proto__/', '/constructor/', '/toString/valueOf/']) {
    assert.deepEqual(await choose(`/mock${path}`), EMPTY)
    await record(path, path)
  }
  assert.equal((await replay('/mock/__proto__/')).payload, '/__proto__/')
  assert.equal((await replay('/mock/', 'constructor/')).payload, '/constructor/')
  assert.deepEqual(await choose('/mock/', 'toString/'), EMPTY)
})

const NOT_TO_ANSWER: readonly object[] = [
  {},
  { gl_path: '/a/' },
  { gl_path: null, ingress_subpath: 'x' },
  { gl_path: 7, egress_status_code: 200, egress_payload: 1 },
  { gl_path: '/mock', ingress_subpath: '' },
  { gl_path: '/mocking/', ingress_subpath: 'a/' },
  { ingress_subpath: '/mock/a/' },
  { egress_payload: '/a/' },
  { gl_path: '/mock/a/', egress_headers: [] },
]

test('other messages get an empty answer', async () => {
  const { record, send } = mockUnderTest()
  await record('/a/', 'a')
  for (const message of NOT_TO_ANSWER) assert.equal(await send({ ...message }), undefined, JSON.stringify(message))
  // Without a path after the router's, the router itself is chosen.
  for (const ingress_subpath of [undefined, null, 7, {}])
    assert.equal((await send({ gl_path: '/mock/a/', ingress_subpath }))?.control, '/a/')
})
