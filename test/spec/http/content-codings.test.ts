import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from 'node:zlib'
import { type CODINGS, encodedAnswer, type LlmAnswer } from '../../fake/llm-answer.ts'
import { ANSWER_TEXT, answerLikeAnLlm } from '../../fake/llm-dialects.ts'
import { rawExchange } from '../../fake/raw-http.ts'
import { type Scene, startScene } from '../../fake/scene.ts'

// Rules: docs/reference/http.md#answers

const LIMIT = 1024 * 1024
let scene: Scene

before(async () => {
  scene = await startScene({ config: { limits: { response_bytes: LIMIT } } })
})
after(() => scene.close())
beforeEach(() => {
  scene.llm.respond(undefined)
  scene.llm.requests.clear()
})

/** Returns the raw bytes behind the head, and the record. */
async function exchange(acceptEncoding = '') {
  const accept = acceptEncoding === '' ? '' : `Accept-Encoding: ${acceptEncoding}\r\n`
  const head = `GET /llm/x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${accept}\r\n`
  const { bytes, text } = await rawExchange(scene.gateway.port, head, 20_000)
  const end = bytes.indexOf('\r\n\r\n') + 4
  const id = /session-id: (\S+)/i.exec(text)?.[1]
  const record = await scene.records.waitFor((seen) => seen.record.transaction_id === id)
  return { head: text.slice(0, end), body: bytes.subarray(end), record }
}

const value = { id: 'x', text: 'é'.repeat(30_000), usage: { total_tokens: 5 } }
const codings: readonly (keyof typeof CODINGS)[] = ['gzip', 'x-gzip', 'deflate', 'raw deflate', 'br', 'zstd']

for (const coding of codings) {
  test(`an answer in ${coding} passes as it came and is decoded in the record`, async () => {
    const answer = encodedAnswer(value, coding)
    assert.ok(answer.kind === 'answer' && answer.body instanceof Uint8Array)
    scene.llm.respond(() => answer)
    const { head, body, record } = await exchange()
    assert.match(head, new RegExp(`Content-Encoding: ${coding.replace('raw ', '')}\r\n`, 'i'))
    assert.ok(Buffer.from(answer.body).equals(body))
    assert.deepEqual(record.field('response.egress_payload'), value)
    assert.deepEqual(record.field('response.inbound_payload'), value)
  })
}

test('an answer in two codings, one over the other, is decoded in the record', async () => {
  const body = brotliCompressSync(gzipSync(JSON.stringify(value)))
  scene.llm.respond(() => ({ kind: 'answer', headers: [['Content-Encoding', 'gzip, br']], body }))
  const got = await exchange()
  assert.ok(body.equals(got.body))
  assert.deepEqual(got.record.field('response.egress_payload'), value)
})

test('a compressed stream passes piece by piece and is assembled in the record', async () => {
  const asked = JSON.stringify({ stream: true, stream_options: { include_usage: true } })
  const plain = answerLikeAnLlm('/chat/completions', Buffer.from(asked))
  assert.ok(plain.kind === 'answer')
  const pieces: Buffer[] = []
  if (typeof plain.body === 'object' && !(plain.body instanceof Uint8Array)) {
    for await (const piece of plain.body) pieces.push(Buffer.from(piece))
  }
  const coded = gzipSync(Buffer.concat(pieces))
  const gate = Promise.withResolvers<void>()
  scene.llm.respond(() => ({
    kind: 'answer',
    headers: [
      ['Content-Type', 'text/event-stream'],
      ['Content-Encoding', 'gzip'],
    ],
    body: (async function* () {
      yield coded.subarray(0, 100)
      await gate.promise
      yield coded.subarray(100)
    })(),
  }))
  const answer = await fetch(`${scene.url}/x`)
  assert.equal(answer.status, 200)
  gate.resolve()
  assert.equal(await answer.text(), Buffer.concat(pieces).toString())
  const record = await scene.recordOf(answer)
  assert.equal(record.field('response.egress_payload.choices[0].message.content'), ANSWER_TEXT)
})

const UNREADABLE_BODIES: readonly (readonly [name: string, coding: string, body: Buffer])[] = [
  ['an unknown coding', 'rot13', Buffer.from('{"a":1}')],
  ['bytes that are not of the coding', 'gzip', Buffer.from('{"a":1}')],
]

for (const [name, coding, body] of UNREADABLE_BODIES) {
  test(`${name} passes; the record has the bytes and says UPSTREAM_ENCODING`, async () => {
    scene.llm.respond(() => ({ kind: 'answer', headers: [['Content-Encoding', coding]], body }))
    const got = await exchange()
    assert.ok(body.equals(got.body))
    assert.deepEqual(got.record.field('response.egress_payload'), { base64: body.toString('base64') })
    assert.deepEqual(got.record.field('response.error'), [{ name: 'inbound_payload', details: 'UPSTREAM_ENCODING' }])
    assert.equal(got.record.record.error_type, undefined)
  })
}

for (const [how, kept] of [
  ['nothing', 4],
  ['a part', 600],
] as const) {
  test(`a whole answer whose coding lets ${how} be decoded passes; the record says UPSTREAM_ENCODING`, async () => {
    const body = gzipSync(Array.from({ length: 500 }, (_, index) => `line ${index}\n`).join('')).subarray(0, kept)
    scene.llm.respond(() => ({ kind: 'answer', headers: [['Content-Encoding', 'gzip']], body }))
    const got = await exchange()
    assert.ok(body.equals(got.body))
    assert.deepEqual(got.record.field('response.error'), [{ name: 'inbound_payload', details: 'UPSTREAM_ENCODING' }])
    const payload = got.record.field('response.inbound_payload')
    if (how === 'nothing') assert.equal(payload, null)
    else assert.match(String(payload), /^line 0\nline 1\n/)
  })
}

/** Bodies of less than 1 MiB that decode to at least 256 MiB of JSON. */
const bombs: Readonly<Record<string, () => Buffer>> = {
  gzip: () => Buffer.concat(Array.from({ length: 64 }, () => gzipMember)),
  br: () => brotliCompressSync(Buffer.alloc(256 * LIMIT, '1'), fast),
  zstd: () => zstdCompressSync(Buffer.alloc(256 * LIMIT, '1')),
}
const fast = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }
const gzipMember = gzipSync(Buffer.alloc(16 * LIMIT, '1'))

for (const [coding, make] of Object.entries(bombs)) {
  test(`a ${coding} bomb passes as it came, the record is cut, memory stays bounded`, async () => {
    const bomb = make()
    const answer: LlmAnswer = { kind: 'answer', headers: [['Content-Encoding', coding]], body: bomb }
    scene.llm.respond(() => answer)
    const before = process.memoryUsage().rss
    const got = await exchange()
    assert.ok(bomb.equals(got.body))
    assert.deepEqual(got.record.record.cut, ['egress_payload', 'inbound_payload'])
    const grown = process.memoryUsage().rss - before
    assert.ok(grown < 64 * LIMIT, `grew by ${grown} bytes`)
  })
}

const OFFERED_CODINGS: readonly (readonly [caller: string, upstream: string])[] = [
  ['gzip, deflate, br, zstd', 'gzip, deflate, br, zstd'],
  ['gzip;q=0.5, compress, br', 'gzip;q=0.5, br'],
  ['br;q=0, *', 'br;q=0, gzip, deflate, zstd'],
  ['*, BR;Q=0.000', 'gzip, deflate, zstd, BR;Q=0.000'],
  ['x-gzip;q=0, *', 'x-gzip;q=0, deflate, br, zstd'],
  ['gzip;q=0', 'gzip;q=0'],
  ['compress, *;q=0', 'identity'],
  ['identity;q=1, *;q=0.1', 'identity;q=1, gzip;q=0.1, deflate;q=0.1, br;q=0.1, zstd;q=0.1'],
  ['zstd;q=0.9, *;q=0.5', 'zstd;q=0.9, gzip;q=0.5, deflate;q=0.5, br;q=0.5'],
  ['* ; q=0.5 , gzip', 'deflate;q=0.5, br;q=0.5, zstd;q=0.5, gzip'],
  ['gzip;q=1.0, identity; q=0.5, *;q=0', 'gzip;q=1.0, identity; q=0.5'],
  ['gzip, *;q=0', 'gzip, identity;q=0'],
  ['identity;q=0, *', 'identity;q=0, gzip, deflate, br, zstd'],
  ['gzip, , br,', 'gzip, br'],
  ['compress', 'identity'],
  ['*', 'gzip, deflate, br, zstd'],
  ['identity', 'identity'],
]

for (const [caller, upstream] of OFFERED_CODINGS) {
  test(`the LLM API is offered the codings that both caller and gateway can decode: ${caller}`, async () => {
    await exchange(caller)
    assert.deepEqual(scene.llm.requests.entries[0]?.header('accept-encoding'), [upstream])
  })
}

test('the LLM API is offered no coding when the caller offers none', async () => {
  await exchange()
  assert.deepEqual(scene.llm.requests.entries[0]?.header('accept-encoding'), [])
})
