import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, beforeEach, test } from 'node:test'
import type { Header, LlmAnswer } from '../../fake/llm-answer.ts'
import { openRawConnection, type RawResult, rawExchange } from '../../fake/raw-http.ts'
import { type Scene, startScene } from '../../fake/scene.ts'

// Rules: docs/reference/http.md#bodies, docs/reference/http.md#answers

let scene: Scene

before(async () => {
  scene = await startScene({ config: { limits: { response_bytes: 64 * 1024 } } })
})
after(() => scene.close())
beforeEach(() => {
  scene.llm.respond(undefined)
  scene.llm.requests.clear()
})

function answer(headers: readonly Header[], body: Buffer | readonly Buffer[], status = 200): void {
  scene.llm.respond(() => ({ kind: 'answer', status, headers, body }))
}

/** Sends one request on a connection that closes afterwards. */
function exchange(method = 'GET', extra = ''): Promise<RawResult> {
  return rawExchange(scene.gateway.port, `${method} /llm/x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${extra}\r\n`)
}

function idOf({ text }: RawResult): string {
  return /session-id: (\S+)/i.exec(text)?.[1] ?? ''
}

async function get(): Promise<Buffer> {
  return Buffer.from(await (await fetch(`${scene.url}/x`)).arrayBuffer())
}

for (const size of [0, 1, 1000, 64 * 1024, 64 * 1024 + 1, 3_000_000]) {
  test(`${size} random bytes of an answer arrive unchanged, with Content-Length and chunked`, async () => {
    const bytes = randomBytes(size)
    answer([], bytes)
    assert.ok(bytes.equals(await get()))
    answer([], size === 0 ? [] : [bytes.subarray(0, size / 3), bytes.subarray(size / 3)])
    assert.ok(bytes.equals(await get()))
  })
}

test('the request body is sent on unchanged, with Content-Length or chunked', async () => {
  const odd = '{ "b":1.0,\t"a":"\\u0041é€\u{1F600}",\r\n "a":2, "n":12345678901234567890 }\n'
  const bytes = Buffer.from(odd)
  await fetch(`${scene.url}/x`, { method: 'POST', body: bytes })
  using raw = await openRawConnection(scene.gateway.port)
  await raw.send('POST /llm/x HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n')
  for (const piece of [bytes.subarray(0, 7), bytes.subarray(7)]) {
    await raw.send(Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')]))
  }
  await raw.send('0\r\nX-Trailer: no\r\n\r\n')
  await raw.ended()
  const seen = await scene.llm.requests.waitForCount(2)
  for (const request of seen) {
    assert.ok(bytes.equals(request.body))
    assert.deepEqual(request.header('content-length'), [String(bytes.length)])
    assert.deepEqual([request.header('transfer-encoding'), request.header('x-trailer')], [[], []])
  }
})

test('repeated headers keep their values and order, and any byte of a value passes', async () => {
  const cookies = ['a=1; Path=/', 'b=2', 'a=3'].map((value) => `Set-Cookie: ${value}`)
  const others = ['X-Latin: caf\u00e9', 'X-Utf8: \u00e2\u0082\u00ac', 'X-Two: one', 'X-Two: two', 'X-Empty: ']
  const head = ['HTTP/1.1 200 OK', ...cookies, ...others, 'Content-Length: 2'].join('\r\n')
  scene.llm.respond(() => ({ kind: 'raw', bytes: Buffer.from(`${head}\r\n\r\n{}`, 'latin1') }))
  const { text } = await exchange()
  assert.deepEqual(text.match(/^set-cookie: .*$/gim), cookies)
  assert.deepEqual(text.match(/^x-(two|latin|utf8|empty): .*$/gim), others)
})

const spacedHead =
  'HTTP/1.1 200 OK\r\nContent-Type: application/json \t\r\nX-Spaced: a b \r\nContent-Length: 7 \r\n\r\n'

for (const [way, bytes] of [
  ['with the head', [`${spacedHead}{"a":1}`]],
  ['in pieces', [spacedHead, '{"a"', ':1}']],
] as const) {
  test(`white space behind the value of a header, Content-Length included, is no part of it: a body ${way}`, async () => {
    scene.llm.respond(() => ({ kind: 'raw', bytes, ending: 'hang' }))
    const result = await exchange()
    assert.match(result.text, /^X-Spaced: a b\r\n/m)
    assert.match(result.text, /^Content-Length: 7\r\n[\s\S]*\r\n\r\n\{"a":1\}$/im)
    const id = idOf(result)
    const record = await scene.records.waitFor(({ record }) => record.transaction_id === id)
    assert.deepEqual([record.record.error_type, record.field('response.error')], [undefined, undefined])
    assert.deepEqual(record.field('response.inbound_payload'), { a: 1 })
  })
}

test('an answer shorter than its Content-Length with white space behind it is broken off', async () => {
  scene.llm.respond(() => ({ kind: 'raw', bytes: [spacedHead, '{"a":1'], ending: 'close' }))
  const id = idOf(await exchange())
  const record = await scene.records.waitFor(({ record }) => record.transaction_id === id)
  assert.equal(record.record.error_type, 'provider_stream')
})

test('large headers pass both ways', async () => {
  const large = 'v'.repeat(12 * 1024)
  answer([['X-Large', large]], Buffer.from('{}'))
  const got = await fetch(`${scene.url}/x`, { headers: { 'X-Sent': large } })
  assert.equal(got.headers.get('x-large'), large)
  assert.deepEqual(scene.llm.requests.entries[0]?.header('x-sent'), [large])
})

test('hop-by-hop headers and trailers end at the gateway', async () => {
  const headers: Header[] = [
    ['Connection', 'X-Hop, close'],
    ['X-Hop', '1'],
    ['Keep-Alive', 'timeout=9'],
    ['Proxy-Authenticate', 'Basic'],
    ['X-Stays', '1'],
  ]
  const trailers: Header[] = [['X-Checksum', 'abc']]
  scene.llm.respond(() => ({ kind: 'answer', headers, body: ['a', 'b'], trailers }))
  const { text } = await exchange()
  assert.doesNotMatch(text, /x-hop|proxy-authenticate|x-checksum|^trailer:|timeout=9/im)
  assert.match(text, /X-Stays: 1[\s\S]*\r\n\r\n(ab|1\r\na\r\n1\r\nb\r\n0\r\n\r\n)$/)
})

test('the answer to HEAD has the length of the GET and no body; the connection goes on', async () => {
  answer(
    [
      ['Content-Length', '1234'],
      ['X-Kind', 'head'],
    ],
    [],
  )
  using raw = await openRawConnection(scene.gateway.port)
  const head = 'HEAD /llm/x HTTP/1.1\r\nHost: a\r\n\r\n'
  await raw.send(head + head)
  const text = await raw.waitFor(/(X-Kind: head[\s\S]*){2}\r\n\r\n$/)
  assert.equal(text.match(/^content-length: 1234\r$/gim)?.length, 2)
  assert.equal(text.split('\r\n\r\n').length, 3)
})

for (const status of [204, 304]) {
  test(`${status} passes without a body or a length of its own`, async () => {
    answer([['ETag', '"v1"']], [], status)
    const result = await exchange()
    assert.match(result.text, new RegExp(`^HTTP/1\\.1 ${status} [\\s\\S]*ETag: "v1"[\\s\\S]*\r\n\r\n$`, 'i'))
    assert.doesNotMatch(result.text, /content-length|transfer-encoding/i)
    const record = await scene.records.waitFor((seen) => seen.record.transaction_id === idOf(result))
    assert.equal(record.field('response.egress_payload'), null)
  })
}

test('redirects and errors of the LLM API pass unchanged, and 1xx answers are not passed on', async () => {
  const early = 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'
  const moved = 'HTTP/1.1 307 Gone There\r\nLocation: http://elsewhere.example/\r\nContent-Length: 2\r\n\r\nno'
  scene.llm.respond(() => ({ kind: 'raw', bytes: early + moved }))
  const redirect = await exchange()
  assert.match(redirect.text, /^HTTP\/1\.1 307 [\s\S]*Location: http:\/\/elsewhere\.example\/[\s\S]*\r\n\r\nno$/)
  const bytes = Buffer.from('<html>\xff\xfe broken', 'latin1')
  answer([['Content-Type', 'text/html']], bytes, 500)
  const failed = await fetch(`${scene.url}/x`)
  assert.deepEqual([failed.status, failed.headers.get('content-type')], [500, 'text/html'])
  assert.ok(bytes.equals(Buffer.from(await failed.arrayBuffer())))
  const record = await scene.recordOf(failed)
  assert.equal(record.record.error_type, 'provider_error')
  assert.deepEqual(record.field('response.egress_payload'), { base64: bytes.toString('base64') })
})

const image = Buffer.alloc(64 * 1024 + 1, Buffer.from([0xff, 0xd8, 0xff, 0xe0]))
const imageHead = JSON.stringify({ base64: image.subarray(0, 3_060).toString('base64') })
const text = Buffer.alloc(64 * 1024 + 1, 'z')
const tooLong: readonly (readonly [name: string, headers: readonly Header[], bytes: Buffer, head: string])[] = [
  ['text', [], text, 'z'.repeat(4096)],
  ['bytes that are no text', [['Content-Type', 'image/jpeg']], image, imageHead],
  ['a stream that is no text', [['Content-Type', 'text/event-stream']], image, imageHead],
  ['an unknown coding', [['Content-Encoding', 'rot13']], image, imageHead],
]

for (const [name, headers, bytes, head] of tooLong) {
  test(`response_bytes cuts the record, never the call: ${name}`, async () => {
    answer(headers, bytes)
    const got = await exchange()
    assert.ok(got.bytes.subarray(got.bytes.indexOf('\r\n\r\n') + 4).equals(bytes))
    const record = await scene.records.waitFor((seen) => seen.record.transaction_id === idOf(got))
    assert.deepEqual(record.record.cut, ['egress_payload', 'inbound_payload'])
    assert.deepEqual(record.field('response.egress_payload'), { cut: true, bytes: bytes.length, head })
    assert.equal(record.text.includes('\ufffd'), false)
  })
}

const broken: readonly (readonly [name: string, answer: LlmAnswer, code: string])[] = [
  ['no HTTP', { kind: 'raw', bytes: 'SSH-2.0-OpenSSH\r\n' }, 'UPSTREAM_PROTOCOL'],
  [
    'two lengths',
    { kind: 'raw', bytes: 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\na' },
    'UPSTREAM_PROTOCOL',
  ],
  [
    'a head too large',
    { kind: 'raw', bytes: `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(70_000)}\r\n\r\n` },
    'UPSTREAM_PROTOCOL',
  ],
  ['half a head', { kind: 'raw', bytes: 'HTTP/1.1 200 OK\r\nContent' }, 'UPSTREAM_RESET'],
]

for (const [name, respond, code] of broken) {
  test(`broken HTTP: ${name} is 502 ${code}`, async () => {
    scene.llm.respond(() => respond)
    const got = await fetch(`${scene.url}/x`)
    assert.deepEqual([got.status, got.headers.get('gateway-error'), await got.text()], [502, code, ''])
  })
}
