import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { askRaw } from '../../fake/raw-answer.ts'
import { openRawConnection, type RawConnection, rawExchange } from '../../fake/raw-http.ts'
import { type Scene, startScene } from '../../fake/scene.ts'

// Rules: docs/reference/http.md#order-of-checks, docs/reference/http.md#bodies, docs/reference/http.md#memory,
// docs/reference/http.md#timeouts

const REQUEST_BYTES = 200_000
const BUFFERED_BYTES = 300_000
const HEADER_BYTES = 8_192
const KEEP_ALIVE_MS = 4_000
const DRAINED = 64 * 1024
let scene: Scene

before(async () => {
  scene = await startScene({
    admin: true,
    routers: (url) => [
      { path: '/llm/', outbound: { url } },
      { path: '/key/', ingress: { headers: { 'Api-Key': ['k'] } }, outbound: { url } },
    ],
    config: {
      limits: {
        request_bytes: REQUEST_BYTES,
        buffered_bytes: BUFFERED_BYTES,
        header_bytes: HEADER_BYTES,
        request_headers_timeout_ms: 3_000,
        // This also bounds the calls that hold a body.
        request_idle_timeout_ms: 5_000,
        keep_alive_timeout_ms: KEEP_ALIVE_MS,
      },
    },
  })
})
after(() => scene.close())
beforeEach(() => {
  scene.llm.respond(() => ({ kind: 'answer', body: '{}' }))
  scene.llm.requests.clear()
})

const json = (bytes: number): string => `"${'x'.repeat(bytes - 2)}"`
const head = (target: string, ...headers: readonly string[]): string =>
  `${[`POST ${target} HTTP/1.1`, 'Host: a', ...headers].join('\r\n')}\r\n\r\n`
const requestHead = (target: string, bytes: number, ...headers: readonly string[]): string =>
  head(target, `Content-Length: ${bytes}`, ...headers)
const chunk = (body: string): string => `${body.length.toString(16)}\r\n${body}\r\n`
const CHUNKED = 'Transfer-Encoding: chunked'

/** Requests with several faults: the first failed check answers, without reading the body. */
const CHECK_ORDER: readonly (readonly [code: string, target: string, headers: readonly string[]])[] = [
  ['400 BAD_PATH', '/key/%2e%2e/', ['Content-Encoding: gzip', 'Content-Length: 900000']],
  ['404 ROUTER_NOT_FOUND', '/none/', ['Content-Encoding: gzip', 'Content-Length: 900000']],
  ['401 INGRESS_HEADER_MISSING', '/key/', ['Content-Encoding: gzip', 'Content-Length: 900000']],
  ['401 INGRESS_HEADER_INVALID', '/key/', ['Api-Key: x', 'Content-Encoding: gzip', 'Content-Length: 900000']],
  ['415 UNSUPPORTED_MEDIA_TYPE', '/key/', ['Api-Key: k', 'Content-Encoding: gzip', 'Content-Length: 900000']],
  ['413 BODY_TOO_LARGE', '/key/', ['Api-Key: k', 'Content-Length: 900000']],
  ['503 OVERLOADED', '/key/', ['Api-Key: k', `Content-Length: ${REQUEST_BYTES}`]],
]

/** The gateway counts a body in steps of this size, so a shorter rest of an incomplete body isn't counted yet. */
const UNCOUNTED_BYTES = 4_096
/** The part of the body that a holder has not sent. */
const REST = '"'

/** Opens a call whose body holds most of buffered_bytes until its rest is sent. */
async function holdRequest(): Promise<RawConnection> {
  // Records of earlier calls may still be on their way.
  while ((await heldBytes()) > 0);
  const holder = await openRawConnection(scene.gateway.port)
  await holder.send(`${requestHead('/llm/held', REQUEST_BYTES, 'Expect: 100-continue')}`)
  await holder.waitFor(/^HTTP\/1\.1 100 Continue\r\n\r\n/)
  await holder.send(json(REQUEST_BYTES).slice(0, -REST.length))
  while ((await heldBytes()) < REQUEST_BYTES - REST.length - UNCOUNTED_BYTES);
  return holder
}

async function heldBytes(): Promise<number> {
  const metrics = await (await fetch(`${scene.gateway.adminUrl}/metrics`)).text()
  return Number(/^llm_gateway_buffered_bytes (\d+)$/m.exec(metrics)?.[1])
}

test('each check answers before the next check, and no check waits for the body', async () => {
  using holder = await holdRequest()
  for (const [expected, target, headers] of CHECK_ORDER) {
    using caller = await openRawConnection(scene.gateway.port)
    await caller.send(head(target, ...headers, 'Expect: 100-continue'))
    const text = await caller.waitFor(/"code":"[A-Z_]+"/)
    const [, status, code] = /^HTTP\/1\.1 (\d+) .*"code":"([A-Z_]+)"/s.exec(text) ?? []
    assert.equal(`${status} ${code}`, expected)
    assert.equal(/\r\nRetry-After: 1\r\n/.test(text), code === 'OVERLOADED')
    // Without a 100 it is unknown if the body will come, so the connection ends.
    assert.match(text, /\r\nConnection: close\r\n/)
  }
  await holder.send(REST)
  await holder.waitFor(/HTTP\/1\.1 200/)
})

test('buffered_bytes: chunked bodies count as they arrive, and ended calls give their bytes back', async () => {
  using holder = await holdRequest()
  using caller = await openRawConnection(scene.gateway.port)
  await caller.send(head('/llm/chunked', CHUNKED) + chunk('1'.repeat(50_000)) + chunk('1'.repeat(20_000)))
  const refused = await caller.waitFor(/OVERLOADED.*\}/)
  assert.match(refused, /^HTTP\/1\.1 503 .*\r\nRetry-After: 1\r\n/s)
  // Request bodies, answers and records share the bound, so the message blames none of them.
  assert.match(refused, /"message":"The gateway has no memory left for this call\."/)
  holder.close()
  for (let round = 0; round < 5; round += 1) {
    // Repeated until the gateway has noticed that the caller left.
    while ((await askRaw(scene.gateway.port, '/llm/x', { method: 'POST', body: json(REQUEST_BYTES) })).status === 503);
  }
  using again = await holdRequest()
  again.close()
})

const bodies: readonly (readonly [name: string, bytes: string])[] = [
  ['declared', `${requestHead('/llm/x', REQUEST_BYTES + 1)}${json(REQUEST_BYTES + 1)}`],
  ['chunked', `${head('/llm/x', CHUNKED)}${chunk(json(REQUEST_BYTES + 1))}0\r\n\r\n`],
  ['chunked in small pieces', head('/llm/x', CHUNKED) + chunk('1'.repeat(100)).repeat(3_000)],
]
for (const [name, bytes] of bodies) {
  test(`more than request_bytes, ${name}, is 413, then the connection closes`, async () => {
    const { text, ended } = await rawExchange(scene.gateway.port, bytes)
    assert.match(text, /^HTTP\/1\.1 413 .*\r\nConnection: close\r\n.*"code":"BODY_TOO_LARGE"/s)
    assert.notEqual(ended, 'timeout')
    assert.equal(scene.llm.requests.total, 0)
  })
}

test('exactly request_bytes pass', async () => {
  const answer = await askRaw(scene.gateway.port, '/llm/x', { method: 'POST', body: json(REQUEST_BYTES) })
  assert.equal(answer.status, 200)
  assert.equal(scene.llm.requests.entries[0]?.body.length, REQUEST_BYTES)
})

test('headers over header_bytes are 431, in one line or many; headers that fit pass', async () => {
  const many = Array.from({ length: 300 }, (_, index) => `X-${index}: ${'v'.repeat(30)}`)
  for (const headers of [[`X-A: ${'v'.repeat(HEADER_BYTES)}`], many]) {
    const answer = await askRaw(scene.gateway.port, '/llm/x', { headers })
    assert.deepEqual([answer.status, JSON.parse(answer.body).error.code], [431, 'HEADERS_TOO_LARGE'])
    assert.match(answer.headers.get('session-id') ?? '', /_0$/)
  }
  const long = await askRaw(scene.gateway.port, `/llm/${'x'.repeat(HEADER_BYTES)}`)
  assert.equal(long.status, 431)
  assert.equal((await askRaw(scene.gateway.port, '/llm/x', { headers: many.slice(0, 150) })).status, 200)
  assert.equal(scene.llm.requests.entries[0]?.header('X-149').length, 1)
})

const slow: readonly (readonly [name: string, bytes: string])[] = [
  ['nothing at all', ''],
  ['half a head', 'POST /llm/x HTTP/1.1\r\nHost: a\r\nX-'],
  ['half a declared body', `${requestHead('/llm/x', 100)}{`],
  ['half a chunked body', `${head('/llm/x', CHUNKED)}${chunk('{')}`],
]
for (const [name, bytes] of slow) {
  test(`${name}, then silence: 408 REQUEST_TIMEOUT, and the connection closes`, async () => {
    const { text, ended } = await rawExchange(scene.gateway.port, bytes)
    assert.match(text, /^HTTP\/1\.1 408 .*"code":"REQUEST_TIMEOUT"/s)
    assert.match(text, /\r\nConnection: close\r\n/)
    assert.match(text, /\r\nSession-Id: GATEWAY1_\d+_\d+_0\r\n/)
    assert.equal(ended, 'close')
    assert.equal(scene.llm.requests.total, 0)
  })
}

test('a refused body of up to 64 KiB is read and the connection stays open; a larger body closes the connection', async () => {
  using caller = await openRawConnection(scene.gateway.port)
  for (const bytes of [0, 1, DRAINED]) await caller.send(`${requestHead('/none/', bytes)}${'x'.repeat(bytes)}`)
  await caller.send(`${requestHead('/llm/kept', 2)}{}`)
  const text = await caller.waitFor(/HTTP\/1\.1 200/)
  assert.equal(text.match(/HTTP\/1\.1 404/g)?.length, 3)
  assert.doesNotMatch(text, /Connection: close/i)
  const over = [
    `${requestHead('/none/', DRAINED + 1)}${'x'.repeat(DRAINED + 1)}`,
    head('/none/', CHUNKED) + chunk('{}'),
  ]
  for (const bytes of over) {
    const closed = await rawExchange(scene.gateway.port, `${bytes}${requestHead('/llm/never', 2)}{}`)
    assert.match(closed.text, /^HTTP\/1\.1 404 .*\r\nConnection: close\r\n/s)
    assert.doesNotMatch(closed.text, /HTTP\/1\.1 (200|400)/)
    assert.notEqual(closed.ended, 'timeout')
  }
  assert.deepEqual(
    scene.llm.requests.entries.map(({ url }) => url),
    ['/kept'],
  )
})

test('a caller that is still sending 5 MB receives the refusal, not a reset', async () => {
  for (const target of ['/none/', '/key/', '/llm/x']) {
    const body = Buffer.alloc(5_000_000, 'x')
    const answer = await fetch(scene.gateway.url + target, { method: 'POST', body })
    assert.equal(answer.status, { '/none/': 404, '/key/': 401 }[target] ?? 413)
  }
})

test('the rest of a refused body is read behind the answer, so that no reset follows', async () => {
  const bytes = 16 * 1024 * 1024
  const { text, ended } = await rawExchange(scene.gateway.port, requestHead('/none/', bytes) + 'x'.repeat(bytes))
  assert.match(text, /^HTTP\/1\.1 404 .*\r\nConnection: close\r\n/s)
  assert.equal(ended, 'close')
})

test('a refused body without an end is cut behind the answer', async (t) => {
  using caller = await openRawConnection(scene.gateway.port, { allowHalfOpen: true })
  await caller.send(head('/none/', CHUNKED))
  const sending = setInterval(() => caller.socket.write(chunk('{}')), 20)
  t.after(() => clearInterval(sending))
  const closed = new Promise((resolve) => caller.socket.on('close', resolve))
  const { text, ended } = await caller.ended()
  assert.match(text, /^HTTP\/1\.1 404 /)
  assert.equal(ended, 'close')
  await closed
})

test('100 Continue is sent once, only when the gateway reads the body, and only for the expectation that HTTP/1.1 defines', async () => {
  const cases: readonly (readonly [bytes: string, continues: boolean])[] = [
    [requestHead('/llm/x', 2, 'Expect: 100-continue', 'Connection: close'), true],
    [requestHead('/llm/x', 2, 'EXPECT: 100-Continue', 'Connection: close'), true],
    [requestHead('/llm/x', 2, 'Expect: 200-ok', 'Connection: close'), false],
    [requestHead('/llm/x', 2, 'Connection: close'), false],
    ['POST /llm/x HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n', false],
  ]
  for (const [bytes, continues] of cases) {
    using caller = await openRawConnection(scene.gateway.port)
    await caller.send(bytes)
    if (continues) await caller.waitFor(/^HTTP\/1\.1 100 Continue\r\n\r\n$/)
    await caller.send('{}')
    const { text } = await caller.ended()
    assert.deepEqual(text.match(/HTTP\/1\.1 \d+/g), [...(continues ? ['HTTP/1.1 100'] : []), 'HTTP/1.1 200'])
  }
  assert.equal(scene.llm.requests.total, cases.length)
})

test('an idle connection carries the next call, and ends after keep_alive_timeout_ms', async () => {
  using caller = await openRawConnection(scene.gateway.port)
  await caller.send(`${requestHead('/llm/1', 2)}{}`)
  assert.match(await caller.waitFor(/\{\}/), /\r\nKeep-Alive: timeout=4\r\n/)
  await caller.send(`${requestHead('/llm/2', 2)}{}`)
  await scene.llm.requests.waitForCount(2)
  const start = performance.now()
  assert.equal((await caller.ended()).ended, 'close')
  assert.ok(performance.now() - start >= KEEP_ALIVE_MS - 50)
})
