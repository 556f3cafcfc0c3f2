import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { type Authority, createAuthority } from '../../fake/certificates.ts'
import { type Llm, startLlm } from '../../fake/llm.ts'
import type { LlmAnswer } from '../../fake/llm-answer.ts'
import { askRaw, type RawRequest } from '../../fake/raw-answer.ts'
import { type Scene, startScene } from '../../fake/scene.ts'

// Rules: docs/reference/http.md#answers, docs/reference/http.md#errors, docs/reference/errors.md#codes

const HEADERS_MS = 3_000
let scene: Scene
let authority: Authority
let secured: Llm

before(async () => {
  authority = await createAuthority()
  const other = await authority.issue('other', { alternativeNames: ['DNS:other.example'] })
  secured = await startLlm({ tls: other })
  const entry = { service_bus_topic: 'llm.gl.nobody', timeout: 5_000, output_fields_write: ['x'] }
  scene = await startScene({
    routers: (url) => [
      { path: '/llm/', outbound: { url } },
      { path: '/key/', ingress: { headers: { 'Api-Key': ['k'] } }, outbound: { url } },
      { path: '/required/', outbound: { url } },
      { path: '/collected/', outbound: { url } },
      { path: '/refused/', outbound: { url: 'http://127.0.0.1:1' } },
      { path: '/nowhere/', outbound: { url: 'http://no-such-name.invalid' } },
      { path: '/denied/', outbound: { url: 'http://192.0.2.1' } },
      { path: '/denied-mapped/', outbound: { url: 'http://[::ffff:192.0.2.1]' } },
      { path: '/untrusted/', outbound: { url: secured.url } },
      { path: '/not-tls/', outbound: { url: url.replace('http:', 'https:') } },
    ],
    config: {
      outbound_deny: ['192.0.2.0/24'],
      limits: { outbound_headers_timeout_ms: HEADERS_MS, request_bytes: 1_000, response_bytes: 10_000 },
      request: { processors: [[{ ...entry, name: 'guard', required: true, routers: ['/required/'] }]] },
      response: {
        processors: [
          [{ ...entry, name: 'reader', input_fields_include: ['egress_payload'], routers: ['/collected/'] }],
        ],
      },
    },
  })
})
after(async () => {
  await scene.close()
  await secured.close()
  await authority.close()
})
beforeEach(() => {
  scene.llm.respond(() => ({ kind: 'answer', body: '{}' }))
  scene.llm.requests.clear()
})

const post = (body: string, ...headers: string[]): RawRequest => ({ method: 'POST', body, headers })

type GatewayError = readonly [target: string, request: RawRequest, status: number, code: string, type: string]

const GATEWAY_ERRORS: readonly GatewayError[] = [
  ['/llm/x', post('{'), 400, 'NOT_JSON', 'caller_bad_request'],
  ['/llm/..', {}, 400, 'BAD_PATH', 'caller_bad_request'],
  ['/llm/x', post('a', 'Content-Type: text/plain'), 415, 'UNSUPPORTED_MEDIA_TYPE', 'caller_bad_request'],
  ['/key/x', {}, 401, 'INGRESS_HEADER_MISSING', 'caller_unauthorized'],
  ['/key/x', post('{}', 'Api-Key: x'), 401, 'INGRESS_HEADER_INVALID', 'caller_unauthorized'],
  ['/none/', {}, 404, 'ROUTER_NOT_FOUND', 'caller_bad_request'],
  ['/llm/x', { method: 'TRACE' }, 405, 'METHOD_NOT_ALLOWED', 'caller_bad_request'],
  ['a:443', { method: 'CONNECT' }, 405, 'METHOD_NOT_ALLOWED', 'caller_bad_request'],
  ['/llm/x', { headers: ['Upgrade: websocket'] }, 405, 'METHOD_NOT_ALLOWED', 'caller_bad_request'],
  ['/llm/x', { headers: [`Connection: ${'a,'.repeat(513)}`] }, 431, 'HEADERS_TOO_LARGE', 'caller_bad_request'],
  ['/llm/x', { headers: Array(1_026).fill('Connection:') }, 431, 'HEADERS_TOO_LARGE', 'caller_bad_request'],
  ['/llm/x', post(JSON.stringify('x'.repeat(1_000))), 413, 'BODY_TOO_LARGE', 'caller_bad_request'],
  ['/required/x', post('{}'), 503, 'PROCESSOR_REQUIRED', 'policy_unavailable'],
]

for (const [target, request, status, code, type] of GATEWAY_ERRORS) {
  test(`${request.method ?? 'GET'} ${target}: ${status} ${code} in the formats of both SDKs, and the session goes on`, async () => {
    const headers = [...(request.headers ?? []), 'Session-Id: CALLER_17_4_8']
    const answer = await askRaw(scene.gateway.port, target, { ...request, headers })
    assert.deepEqual([answer.status, answer.headers.get('session-id')], [status, 'CALLER_17_4_9'])
    assert.equal(answer.headers.get('content-type'), 'application/json')
    const { error, ...rest } = JSON.parse(answer.body)
    assert.deepEqual([rest, Object.keys(error).sort()], [{}, ['code', 'message', 'type']])
    assert.deepEqual([error.code, error.type], [code, type])
    assert.match(error.message, /^[A-Z].*\.$/)
    assert.equal(answer.headers.get('gateway-error'), null)
    const anthropic = await askRaw(scene.gateway.port, target, {
      ...request,
      headers: [...headers, 'Anthropic-Version: 2023-06-01'],
    })
    assert.deepEqual(JSON.parse(anthropic.body), { type: 'error', error })
    assert.equal(scene.llm.requests.total, 0)
  })
}

const large = JSON.stringify('x'.repeat(20_000))
const rawAnswer = (bytes: string | Buffer) => (): LlmAnswer => ({ kind: 'raw', bytes })
const codedAnswer = (coding: string, body: string | Buffer) => (): LlmAnswer => ({
  kind: 'answer',
  headers: [['Content-Encoding', coding]],
  body,
})

type Upstream = readonly [name: string, path: string, respond: () => LlmAnswer, status: number, code: string]

const upstream: readonly Upstream[] = [
  ['a port where nobody listens', '/refused/', rawAnswer(''), 502, 'UPSTREAM_REFUSED'],
  ['a reset', '/llm/', () => ({ kind: 'reset' }), 502, 'UPSTREAM_RESET'],
  ['a connection closed unanswered', '/llm/', () => ({ kind: 'close' }), 502, 'UPSTREAM_RESET'],
  ['a head that breaks off', '/llm/', rawAnswer('HTTP/1.1 200 OK\r\nX-A'), 502, 'UPSTREAM_RESET'],
  ['an untrusted certificate', '/untrusted/', rawAnswer(''), 502, 'UPSTREAM_TLS'],
  ['a port without TLS', '/not-tls/', rawAnswer(''), 502, 'UPSTREAM_TLS'],
  ['no HTTP', '/llm/', rawAnswer('SSH-2.0-OpenSSH_9.6\r\n'), 502, 'UPSTREAM_PROTOCOL'],
  [
    'Content-Length and Transfer-Encoding',
    '/llm/',
    rawAnswer('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}'),
    502,
    'UPSTREAM_PROTOCOL',
  ],
  [
    'two Content-Lengths',
    '/llm/',
    rawAnswer('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}'),
    502,
    'UPSTREAM_PROTOCOL',
  ],
  ...[
    'gzip, chunked',
    'gzip',
    'identity',
    'identity, chunked',
    'chunked, chunked',
    'chunked, gzip',
    'xchunked',
    '',
  ].map(
    (coding): Upstream => [
      `Transfer-Encoding: ${coding}`,
      '/llm/',
      rawAnswer(`HTTP/1.1 200 OK\r\nTransfer-Encoding: ${coding}\r\n\r\n2\r\n{}\r\n0\r\n\r\n`),
      502,
      'UPSTREAM_PROTOCOL',
    ],
  ),
  [
    'two lines of Transfer-Encoding',
    '/llm/',
    rawAnswer(
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n',
    ),
    502,
    'UPSTREAM_PROTOCOL',
  ],
  [
    'a Connection of more than 1,024 characters',
    '/llm/',
    rawAnswer(`HTTP/1.1 200 OK\r\nConnection: ${'x-a,'.repeat(257)}\r\nX-A: b\r\nContent-Length: 2\r\n\r\n{}`),
    502,
    'UPSTREAM_PROTOCOL',
  ],
  [
    'headers without end',
    '/llm/',
    rawAnswer(`HTTP/1.1 200 OK\r\nX-A: ${'a'.repeat(300_000)}\r\n\r\n{}`),
    502,
    'UPSTREAM_PROTOCOL',
  ],
  [
    'more than response_bytes, collected',
    '/collected/',
    () => ({ kind: 'answer', body: large }),
    502,
    'UPSTREAM_TOO_LARGE',
  ],
  ['a decompression bomb, collected', '/collected/', codedAnswer('gzip', gzipSync(large)), 502, 'UPSTREAM_TOO_LARGE'],
  ['bytes that are not of the coding, collected', '/collected/', codedAnswer('gzip', '{}'), 502, 'UPSTREAM_ENCODING'],
  ['an unknown coding, collected', '/collected/', codedAnswer('rot13', '{}'), 502, 'UPSTREAM_ENCODING'],
  ['an unknown host name', '/nowhere/', rawAnswer(''), 503, 'UPSTREAM_NOT_FOUND'],
  ['no headers in time', '/llm/', () => ({ kind: 'hang' }), 504, 'UPSTREAM_TIMEOUT'],
  ['an address of outbound_deny', '/denied/', rawAnswer(''), 502, 'UPSTREAM_DENIED'],
  ['an address of outbound_deny as IPv6', '/denied-mapped/', rawAnswer(''), 502, 'UPSTREAM_DENIED'],
]

const types = new Map([
  ['UPSTREAM_DENIED', 'policy_denied'],
  ['UPSTREAM_TIMEOUT', 'provider_timeout'],
])

for (const [index, [name, path, respond, status, code]] of upstream.entries()) {
  test(`${name}: ${status} ${code}, an empty body and Gateway-Error`, async () => {
    scene.llm.respond(respond)
    const headers = [`Session-Id: CALLER_18_${index}_8`, 'Anthropic-Version: 2023-06-01']
    const answer = await askRaw(scene.gateway.port, `${path}x`, post('{}', ...headers))
    assert.deepEqual([answer.status, answer.headers.get('gateway-error'), answer.body], [status, code, ''])
    assert.equal(answer.headers.get('session-id'), `CALLER_18_${index}_9`)
    assert.equal(answer.headers.get('content-length'), '0')
    for (const absent of ['content-type', 'content-encoding', 'transfer-encoding', 'retry-after']) {
      assert.equal(answer.headers.get(absent), null)
    }
    const record = await scene.recordOf(answer)
    assert.equal(record.record.error_type, types.get(code) ?? 'provider_connect')
    assert.equal(record.field('response.egress_status_code'), status)
    assert.equal(record.field('response.egress_payload'), null)
  })
}

test('an HTTP error of the LLM API passes untouched, error_type provider_error', async () => {
  for (const status of [400, 401, 403, 404, 409, 422, 429, 500, 503, 529]) {
    const body = `{"error": {"n":${status}} }`
    scene.llm.respond(() => ({
      kind: 'answer',
      status,
      headers: [
        ['Retry-After', '7'],
        ['Content-Type', 'a/b'],
      ],
      body,
    }))
    const answer = await fetch(`${scene.url}/x`)
    assert.deepEqual([answer.status, await answer.text()], [status, body])
    assert.deepEqual([answer.headers.get('retry-after'), answer.headers.get('content-type')], ['7', 'a/b'])
    assert.equal(answer.headers.get('gateway-error'), null)
    assert.equal((await scene.recordOf(answer)).record.error_type, 'provider_error')
  }
})

test('a connection with an unknown transfer coding carries no other call', async () => {
  const unknown = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n'
  for (let call = 0; call < 2; call += 1) {
    scene.llm.respond(() => ({ kind: 'raw', bytes: unknown, ending: 'hang' }))
    assert.equal((await fetch(`${scene.url}/x`)).headers.get('gateway-error'), 'UPSTREAM_PROTOCOL')
  }
  assert.equal(new Set(scene.llm.requests.entries.map(({ socketId }) => socketId)).size, 2)
})

test('chunked in any spelling is understood', async () => {
  for (const coding of ['chunked', 'Chunked', 'CHUNKED', 'chunked ']) {
    scene.llm.respond(() => ({
      kind: 'raw',
      bytes: `HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: ${coding}\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
    }))
    const answer = await fetch(`${scene.url}/x`)
    assert.deepEqual([answer.status, await answer.text()], [200, '{}'])
  }
})

test('redirects are passed on, never followed', async () => {
  for (const status of [301, 302, 303, 307, 308]) {
    scene.llm.respond(() => ({ kind: 'answer', status, headers: [['Location', `${scene.llm.url}/next`]] }))
    const answer = await askRaw(scene.gateway.port, '/llm/x', post('{}'))
    assert.deepEqual([answer.status, answer.headers.get('location')], [status, `${scene.llm.url}/next`])
  }
  assert.deepEqual(
    scene.llm.requests.entries.map(({ url }) => url),
    Array(5).fill('/x'),
  )
})
