import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { type Processor, startProcessor } from '../../fake/processor.ts'
import { askRaw } from '../../fake/raw-answer.ts'
import { type Scene, startScene } from '../../fake/scene.ts'

// Rules: docs/reference/http.md#headers-to-the-llm-api, docs/reference/http.md#answers

let scene: Scene
let selector: Processor

before(async () => {
  scene = await startScene({
    env: { REAL: 'real-key' },
    routers: (url) => [
      { path: '/plain/', outbound: { url } },
      {
        path: '/keyed/',
        ingress: { headers: { 'content-type': ['application/json'], 'api-KEY': ['caller'], 'X-Team': ['a'] } },
        outbound: { url, headers: { 'API-key': ['${REAL}'], 'x-two': ['1', '2'] } },
      },
      { path: '/checked/', ingress: { headers: { 'Api-Key': ['caller'] } }, outbound: { url } },
      { path: '/typed/', outbound: { url, headers: { 'Content-Type': ['application/vnd.llm+json'] } } },
      {
        path: '/wins/',
        outbound: {
          url,
          headers: {
            'User-Agent': ['gateway'],
            'X-Removed': ['kept'],
            Host: ['llm.example'],
            'Accept-Encoding': ['x'],
          },
        },
      },
      { path: '/user/', outbound: { url: url.replace('//', '//us%40er:pass@') } },
      { path: '/pool/', ingress: { headers: { 'X-Pool': ['p'] } }, outbound: { url } },
      { path: '/pool/one/', ingress: { headers: { 'X-One': ['never'] } }, outbound: { url }, internal: true },
    ],
    config: {
      remove_headers: ['content-length', 'X-Removed'],
      session_id_header: 'X-Session',
      request: {
        processors: [
          [
            {
              ...{
                name: 'selector',
                service_bus_topic: 'llm.gl.selector',
                timeout: 5_000,
                modifier: true,
                required: true,
              },
              ...{ input_fields_include: ['gl_path'], output_fields_write: ['gl_path'], routers: ['/pool/'] },
            },
          ],
        ],
      },
    },
  })
  selector = await startProcessor(scene.nats, 'llm.gl.selector', () => ({ gl_path: '/pool/one/' }))
  scene.llm.respond(() => ({ kind: 'answer', body: '{}' }))
})
after(async () => {
  await selector.close()
  await scene.close()
})
beforeEach(() => scene.llm.requests.clear())

/** Returns the sorted headers at the LLM API, without the framing of its own connection. */
async function headersOut(path: string, headers: readonly string[], body?: string): Promise<readonly string[]> {
  const request = { headers, ...(body === undefined ? {} : { method: 'POST', body }) }
  const answer = await askRaw(scene.gateway.port, `${path}x`, request)
  assert.equal(answer.status, 200)
  const raw = scene.llm.requests.entries[0]?.rawHeaders ?? []
  const lines = raw.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${raw[at + 1]}`] : []))
  assert.ok(lines.includes(`host: ${path === '/wins/' ? 'llm.example' : `127.0.0.1:${scene.llm.port}`}`), String(lines))
  return lines.filter((line) => !/^(host|connection|content-length): /.test(line)).sort()
}

const JSON_TYPE = 'Content-Type: application/json'
const MASKED = [
  'Authorization: Bearer a',
  'X-Api-Key: b',
  'Cookie: c=d',
  'X-Goog-Api-Key: e',
  'X-Amz-Security-Token: f',
]
const KEYED = [JSON_TYPE, 'Api-Key: caller', 'X-Team: a']
const REAL = ['Api-Key: real-key', 'X-Two: 1', 'X-Two: 2']

type Case = readonly [rule: string, path: string, sent: readonly string[], out: readonly string[], body?: string]

const cases: readonly Case[] = [
  [
    'every header is sent on, with canonical names',
    '/plain/',
    ['x-a: 1', 'X-A: 2', 'user-AGENT: u'],
    ['User-Agent: u', 'X-A: 1', 'X-A: 2'],
  ],
  ['no header is added', '/plain/', [], []],
  ['masked headers are sent on if the router sets no key', '/plain/', MASKED, MASKED],
  ['headers of the ingress check are not sent on, but Content-Type is', '/keyed/', KEYED, [JSON_TYPE, ...REAL], '{}'],
  [
    'no masked header is sent on if the router sets a masked header',
    '/keyed/',
    [...KEYED, ...MASKED],
    [JSON_TYPE, ...REAL],
    '{}',
  ],
  ['a checked key is not sent on even if the router sets none', '/checked/', ['Api-Key: caller', 'X-A: 1'], ['X-A: 1']],
  ['outbound Content-Type wins', '/typed/', [JSON_TYPE], ['Content-Type: application/vnd.llm+json'], '{}'],
  ['the session header is dropped', '/plain/', ['X-Session: A_1_1_0', 'Session-Id: A_1_1_0'], ['Session-Id: A_1_1_0']],
  ['remove_headers are dropped', '/plain/', ['x-REMOVED: 1', 'X-Removed-Not: 2'], ['X-Removed-Not: 2']],
  [
    'outbound.headers win',
    '/wins/',
    ['User-Agent: caller', 'X-Removed: 1', 'Accept-Encoding: gzip'],
    ['Accept-Encoding: x', 'User-Agent: gateway', 'X-Removed: kept'],
  ],
  [
    'hop-by-hop headers are not sent on',
    '/plain/',
    [
      ...['Keep-Alive: timeout=5', 'Proxy-Connection: close', 'TE: trailers', 'Trailer: X-T', 'HTTP2-Settings: a'],
      ...['Proxy-Authorization: Basic a', 'Proxy-Authenticate: Basic', 'X-A: 1'],
    ],
    ['X-A: 1'],
  ],
  [
    'headers named in Connection are not sent on',
    '/plain/',
    ['Connection: X-A , x-b', 'X-A: 1', 'X-B: 2', 'X-C: 3'],
    ['X-C: 3'],
  ],
  [
    'headers named at the end of a long Connection are not sent on',
    '/plain/',
    [`Connection: ${'keep-alive,'.repeat(90)}X-A`, 'X-A: 1', 'X-B: 2'],
    ['X-B: 2'],
  ],
  [
    'headers named in a second Connection are not sent on',
    '/plain/',
    ['connection: close', 'Connection: x-a,,', 'X-A: 1', 'X-B: 2'],
    ['X-B: 2'],
  ],
  ['Expect is not sent on', '/plain/', ['Expect: 100-continue', 'X-A: 1'], ['X-A: 1'], '{}'],
  [
    'Connection can’t take the key away',
    '/keyed/',
    [...KEYED, 'Connection: Api-Key, X-Two'],
    [JSON_TYPE, ...REAL],
    '{}',
  ],
  [
    'user-info in the url replaces the caller’s masked headers',
    '/user/',
    MASKED,
    ['Authorization: Basic dXNAZXI6cGFzcw=='],
  ],
  [
    'after a re-route headers of both routers’ ingress checks are not sent on',
    '/pool/',
    ['X-Pool: p', 'X-One: 1', 'X-Two: 2'],
    ['X-Two: 2'],
  ],
]

for (const [rule, path, sent, out, body] of cases) {
  test(`headers to the LLM API: ${rule}`, async () => {
    assert.deepEqual(await headersOut(path, sent, body), [...out].sort())
  })
}

const codings: readonly (readonly [caller: readonly string[], out: string | undefined])[] = [
  [[], undefined],
  [['gzip'], 'gzip'],
  [['gzip, deflate, br, zstd'], 'gzip, deflate, br, zstd'],
  [['compress, GZIP;q=0.5, snappy, br ; q=1'], 'GZIP;q=0.5, br ; q=1'],
  [['gzip', 'br'], 'gzip, br'],
  [['compress, dcz'], 'identity'],
  [[''], 'identity'],
  [['identity'], 'identity'],
  [['identity;q=0, gzip;q=0, br'], 'identity;q=0, gzip;q=0, br'],
  [['*'], 'gzip, deflate, br, zstd'],
  [['*;q=0'], 'identity'],
  [['gzipped, xgzip, gzip-x'], 'identity'],
]

for (const [caller, out] of codings) {
  test(`the LLM API is offered the caller's codings that the gateway can decode: ${JSON.stringify(caller)}`, async () => {
    const lines = caller.map((value) => `Accept-Encoding: ${value}`)
    assert.deepEqual(await headersOut('/plain/', lines), out === undefined ? [] : [`Accept-Encoding: ${out}`])
  })
}

test('the record names the headers that were removed and the caller’s headers that weren’t sent', async () => {
  const headers = [...KEYED, 'X-Removed: 1', 'Cookie: c=d', 'TE: trailers', 'X-A: 1']
  const answer = await askRaw(scene.gateway.port, '/keyed/x', { method: 'POST', headers, body: '{}' })
  const id = answer.headers.get('x-session')
  const record = await scene.records.waitFor((seen) => seen.record.transaction_id === id)
  const masked = ['[*****MASKED*****]']
  assert.deepEqual(record.field('request.outbound_headers_removed'), { 'Content-Length': [], 'X-Removed': [] })
  assert.deepEqual(record.field('request.outbound_headers_discarded'), {
    Connection: ['close'],
    'X-Team': ['a'],
    Cookie: masked,
    Te: ['trailers'],
  })
  assert.deepEqual(record.field('request.outbound_headers'), {
    'Content-Type': ['application/json'],
    'X-A': ['1'],
    'Api-Key': masked,
    'X-Two': ['1', '2'],
  })
  assert.doesNotMatch(record.text, /real-key/)
})
