import assert from 'node:assert/strict'
import { METHODS } from 'node:http'
import { after, before, beforeEach, test } from 'node:test'
import { askRaw } from '../../fake/raw-answer.ts'
import { openRawConnection } from '../../fake/raw-http.ts'
import { type Scene, startScene } from '../../fake/scene.ts'

// Rules: docs/reference/http.md#methods, docs/reference/sessions.md#header

let scene: Scene

before(async () => {
  // The row needs the payload, so that answers of its router are collected.
  const row = [{ name: 'silent', service_bus_topic: 'silent', timeout: 50, routers: ['/collected/'] }]
  scene = await startScene({
    routers: (url) => [
      { path: '/llm/', outbound: { url } },
      { path: '/collected/', outbound: { url } },
    ],
    config: { response: { processors: [row] } },
  })
})
after(() => scene.close())
beforeEach(() => {
  scene.llm.respond(({ method }) => ({ kind: 'answer', headers: [['X-Method', method]], body: '{"n":1}' }))
  scene.llm.requests.clear()
})

const PASSED_METHODS = METHODS.filter((method) => method !== 'CONNECT' && method !== 'TRACE')

test('Node knows the methods of this file', () => {
  for (const method of ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE', 'QUERY'])
    assert.ok(PASSED_METHODS.includes(method))
})

for (const method of PASSED_METHODS) {
  test(`${method} passes, with and without a body, and its record has the method`, async () => {
    const empty = ['POST', 'PUT', 'PATCH'].includes(method)
    for (const body of empty ? ['{"a":1}'] : ['{"a":1}', undefined]) {
      scene.llm.requests.clear()
      const answer = await askRaw(scene.gateway.port, '/llm/x?q=1', { method, ...(body === undefined ? {} : { body }) })
      assert.deepEqual([answer.status, answer.headers.get('x-method')], [200, method])
      assert.deepEqual([answer.headers.get('content-length'), answer.body], ['7', method === 'HEAD' ? '' : '{"n":1}'])
      const [seen] = scene.llm.requests.entries
      assert.deepEqual([seen?.method, seen?.url, String(seen?.body)], [method, '/x?q=1', body ?? ''])
      assert.deepEqual(seen?.header('transfer-encoding'), [])
      const record = await scene.recordOf(answer)
      assert.equal(record.field('request.ingress_method'), method)
      assert.deepEqual(record.field('request.outbound_payload'), body === undefined ? null : { a: 1 })
    }
  })
}

for (const line of ['GET /llm/x RTSP/1.0', 'OPTIONS /llm/x RTSP/1.1', 'SOURCE /llm/x ICE/1.0']) {
  test(`${line} is an ordinary call`, async () => {
    using caller = await openRawConnection(scene.gateway.port)
    await caller.send(`${line}\r\nHost: a\r\n\r\n`)
    assert.match(await caller.waitFor(/\{"n":1\}/), /^HTTP\/1\.1 200 /)
    assert.deepEqual(
      scene.llm.requests.entries.map(({ method, url }) => `${method} ${url}`),
      [`${line.split(' ')[0]} /x`],
    )
  })
}

test('answers without a body by HTTP’s rules end after their head', async () => {
  using caller = await openRawConnection(scene.gateway.port)
  const cases: readonly (readonly [method: string, status: number])[] = [
    ['GET', 204],
    ['GET', 304],
    ['HEAD', 200],
    ['HEAD', 404],
    ['HEAD', 204],
    ['OPTIONS', 204],
  ]
  scene.llm.respond((seen) => ({ kind: 'answer', status: Number(seen.header('x-status')), headers: [['ETag', '"e"']] }))
  for (const [method, status] of cases) {
    await caller.send(`${method} /llm/x HTTP/1.1\r\nHost: a\r\nX-Status: ${status}\r\n\r\n`)
  }
  // The heads follow each other directly, so the answers have no bodies.
  const heads = (await caller.waitFor(/(HTTP\/1\.1 .*?\r\n\r\n){6}/s)).split('\r\n\r\n').slice(0, -1)
  assert.deepEqual(
    heads.map((head) => /^HTTP\/1\.1 (\d+) .*\r\nSession-Id: /s.exec(head)?.[1]),
    cases.map(([, status]) => String(status)),
  )
})

test('an answer to HEAD has the LLM API’s length or none, and a 204 never has one', async () => {
  scene.llm.respond((seen) => ({
    kind: 'answer',
    status: Number(seen.header('x-status')),
    headers: [['Content-Length', '7']],
  }))
  const ask = (router: string, status: number) =>
    askRaw(scene.gateway.port, `/${router}/x`, { method: 'HEAD', headers: [`X-Status: ${status}`] })
  const lengths = []
  for (const [router, status] of [
    ['llm', 200],
    ['llm', 204],
    ['collected', 200],
    ['collected', 204],
  ] as const)
    lengths.push((await ask(router, status)).headers.get('content-length'))
  assert.deepEqual(lengths, ['7', null, null, null])
})

test('/echo/ answers any method with the caller’s bytes, and reflects no header', async () => {
  const body = '{ "a" : 1.0 }'
  for (const method of ['POST', 'PUT', 'QUERY', 'DELETE']) {
    const headers = ['X-A: 1', 'Content-Type: text/plain', 'Api-Key: k']
    const answer = await askRaw(scene.gateway.port, '/echo/any/path', { method, headers, body })
    assert.deepEqual([answer.status, answer.body], [200, body])
    const names = [...answer.headers.keys()]
    assert.deepEqual(names, ['connection', 'content-length', 'content-type', 'date', 'session-id'])
    assert.equal(answer.headers.get('content-type'), 'application/json')
  }
  const bare = await askRaw(scene.gateway.port, '/echo/')
  assert.deepEqual([bare.status, bare.body, bare.headers.get('content-type')], [200, '', null])
  assert.equal(scene.llm.requests.total, 0)
})

for (const target of ['*', '/none/', '/llm/%2e', '/echo']) {
  test(`answers to OPTIONS and HEAD of ${target} carry the session header`, async () => {
    for (const method of ['OPTIONS', 'HEAD']) {
      // llhttp accepts the asterisk form for any method. The answer is 404, since no router can have that path.
      const answer = await askRaw(scene.gateway.port, target, { method, headers: ['Session-Id: A_1_2_0'] })
      assert.deepEqual([answer.status, answer.headers.get('session-id')], [target.includes('%') ? 400 : 404, 'A_1_2_1'])
      assert.equal(answer.body === '', method === 'HEAD')
    }
  })
}

const refused: readonly (readonly [bytes: string, code: string])[] = [
  ['CONNECT api.example:443 HTTP/1.1\r\nHost: api.example:443\r\n\r\n', '405 METHOD_NOT_ALLOWED'],
  ['TRACE /llm/x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n', '405 METHOD_NOT_ALLOWED'],
  ['GET /llm/x HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n', '405 METHOD_NOT_ALLOWED'],
  [
    'GET /llm/x HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n\r\n',
    '405 METHOD_NOT_ALLOWED',
  ],
]
for (const [bytes, code] of refused) {
  test(`${bytes.split('\r\n', 1)[0]} is ${code}: no tunnel, no reflection, no upgrade`, async () => {
    using caller = await openRawConnection(scene.gateway.port)
    await caller.send(bytes)
    const text = await caller.waitFor(/"code":"[A-Z_]+"/)
    const [, status, name] = /^HTTP\/1\.1 (\d+) .*"code":"([A-Z_]+)"/s.exec(text) ?? []
    assert.equal(`${status} ${name}`, code)
    assert.match(text, /\r\nSession-Id: GATEWAY1_\d+_\d+_0\r\n/)
    assert.equal(scene.llm.requests.total, 0)
  })
}
