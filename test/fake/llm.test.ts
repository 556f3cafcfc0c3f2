import assert from 'node:assert/strict'
import { get, request } from 'node:http'
import { get as getTls } from 'node:https'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync, zstdDecompressSync } from 'node:zlib'
import { createAuthority } from './certificates.ts'
import { startLlm } from './llm.ts'
import { type CODINGS, encodedAnswer, hugeJson } from './llm-answer.ts'
import { rawExchange } from './raw-http.ts'

async function post(url: string, body: unknown): Promise<Response> {
  return await fetch(url, { method: 'POST', body: JSON.stringify(body), headers: { 'X-Twice': 'a' } })
}

test('the fake LLM answers whole and streamed in every dialect', async () => {
  await using llm = await startLlm()
  const ends = {
    '/x/chat/completions?api-version=1': 'data: [DONE]\n\n',
    '/v1/messages': 'data: {"type":"message_stop"}\n\n',
    '/v1/responses': '"sequence_number":',
  }
  for (const [path, end] of Object.entries(ends)) {
    const whole = await (await post(llm.url + path, { model: 'm' })).text()
    assert.match(whole, /Bill Gates/)
    const streamed = await post(llm.url + path, { model: 'm', stream: true, stream_options: { include_usage: true } })
    assert.match(streamed.headers.get('content-type') ?? '', /text\/event-stream/)
    assert.ok((await streamed.text()).includes(end), path)
  }
})

test('a request is recorded with its raw headers, bytes and connection', async () => {
  await using llm = await startLlm()
  await (await post(`${llm.url}/a?b=%2F`, { x: 1 })).text()
  const [seen] = await llm.requests.waitForCount(1)
  assert.equal(seen?.url, '/a?b=%2F')
  assert.equal(seen?.body.toString(), '{"x":1}')
  assert.deepEqual(seen?.header('x-twice'), ['a'])
  assert.deepEqual([seen?.socketId, llm.connections, seen?.complete], [1, 1, true])
})

test('an answer is written in pieces while the test holds the promise', async () => {
  await using llm = await startLlm()
  const gate = Promise.withResolvers<void>()
  llm.respond(() => ({
    kind: 'answer',
    headers: [
      ['Set-Cookie', 'a=1'],
      ['Set-Cookie', 'b=2'],
    ],
    trailers: [['X-End', 'yes']],
    body: (async function* () {
      yield 'first '
      await gate.promise
      yield 'second'
    })(),
  }))
  const { response, first } = await new Promise<{ response: import('node:http').IncomingMessage; first: string }>(
    (resolve) => {
      get(llm.url, (incoming) =>
        incoming.once('data', (first) => resolve({ response: incoming, first: String(first) })),
      )
    },
  )
  assert.equal(first, 'first ')
  assert.deepEqual(response.headers['set-cookie'], ['a=1', 'b=2'])
  gate.resolve()
  assert.equal(await text(response), 'second')
  assert.equal(response.trailers['x-end'], 'yes')
})

test('the fake LLM can reset, close, hang and break HTTP, and the client sees exactly that', async () => {
  await using llm = await startLlm()
  const ask = Buffer.from('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  llm.respond(() => ({ kind: 'answer', headers: [['Content-Length', '10']], body: 'half', ending: 'close' }))
  const half = await rawExchange(llm.port, ask)
  assert.match(half.text, /Content-Length: 10\r\n[\s\S]*\r\n\r\nhalf$/)
  assert.equal(half.ended, 'close')
  llm.respond(() => ({ kind: 'reset' }))
  assert.equal((await rawExchange(llm.port, ask)).ended, 'reset')
  llm.respond(() => ({ kind: 'raw', bytes: 'HTTP/9 what\r\n\r\n' }))
  assert.equal((await rawExchange(llm.port, ask)).text, 'HTTP/9 what\r\n\r\n')
  llm.respond(() => ({ kind: 'hang' }))
  const cancelled = request(llm.url).on('error', () => undefined)
  cancelled.end()
  const seen = await llm.requests.waitFor((entry) => entry.number === 4 && entry.complete)
  assert.equal(seen.aborted, false)
  cancelled.destroy()
  await llm.requests.waitFor((entry) => entry.number === 4 && entry.aborted)
})

test('the fake LLM sends content codings, statuses without a body and huge bodies', async () => {
  await using llm = await startLlm()
  const decoders = {
    gzip: gunzipSync,
    'x-gzip': gunzipSync,
    deflate: inflateSync,
    'raw deflate': inflateRawSync,
    br: brotliDecompressSync,
    zstd: zstdDecompressSync,
  }
  for (const coding of ['gzip', 'x-gzip', 'deflate', 'raw deflate', 'br', 'zstd'] satisfies (keyof typeof CODINGS)[]) {
    const answer = encodedAnswer({ a: 1 }, coding)
    assert.ok(answer.kind === 'answer' && answer.body instanceof Uint8Array)
    assert.equal(decoders[coding](answer.body).toString(), '{"a":1}')
  }
  for (const status of [204, 304]) {
    llm.respond(() => ({ kind: 'answer', status }))
    const answer = await rawExchange(llm.port, Buffer.from('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'))
    assert.match(answer.text, new RegExp(`^HTTP/1.1 ${status} [\\s\\S]*\r\n\r\n$`))
    assert.doesNotMatch(answer.text, /content-length/i)
  }
  llm.respond(() => ({ kind: 'answer', body: hugeJson(3_000_001) }))
  assert.equal((await (await fetch(llm.url)).arrayBuffer()).byteLength, 3_000_001)
})

test('a failing script is an answer, not a hang', async () => {
  await using llm = await startLlm({
    respond: () => {
      throw new Error('wrong script')
    },
  })
  assert.equal((await fetch(llm.url)).status, 599)
})

test('the fake LLM serves TLS with a certificate of a new authority', async () => {
  await using authority = await createAuthority()
  await using llm = await startLlm({ tls: await authority.issue('llm') })
  const status = await new Promise((resolve, reject) => {
    getTls(llm.url, { ca: authority.certificate, agent: false }, (incoming) => {
      incoming.resume()
      resolve(incoming.statusCode)
    }).on('error', reject)
  })
  assert.equal(status, 404)
  await assert.rejects(fetch(llm.url))
})
