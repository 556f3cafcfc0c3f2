import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, beforeEach, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import type { LlmAnswer } from '../../fake/llm-answer.ts'
import { ANSWER_TEXT, answerLikeAnLlm } from '../../fake/llm-dialects.ts'
import { type Processor, startProcessor } from '../../fake/processor.ts'
import { openRawConnection } from '../../fake/raw-http.ts'
import { type Scene, startScene } from '../../fake/scene.ts'

// Rules: docs/reference/http.md#answers, docs/reference/http.md#streaming

/** Paths with one response entry each, which applies to that path only. */
const ROWS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  '/async/': { async: true, output_fields_write: ['noted'] },
  '/status-only/': { input_fields_include: ['inbound_status_code'], output_fields_write: ['noted'] },
  '/excludes/': { input_fields_exclude: ['inbound_payload', 'egress_payload'], output_fields_write: ['noted'] },
  '/selects/': { input_fields_include: ['egress_payload'], output_fields_write: ['noted'] },
  '/everything/': { output_fields_write: ['noted'] },
  '/writes/': { input_fields_include: ['gl_path'], output_fields_write: ['egress_payload'], modifier: true },
}
const LIMIT = 256 * 1024
const chat = { model: 'm', messages: [], stream: true, stream_options: { include_usage: true } }

let scene: Scene
let processor: Processor

before(async () => {
  const row = Object.entries(ROWS).map(([path, fields]) => {
    const entry = { name: path.replace(/\W/g, '_'), service_bus_topic: 'llm.gl.probe', timeout: 20_000 }
    return { ...entry, routers: [path], ...fields }
  })
  scene = await startScene({
    routers: (url) => Object.keys(ROWS).map((path) => ({ path, outbound: { url } })),
    config: { response: { processors: [row] }, limits: { response_bytes: LIMIT, request_idle_timeout_ms: 3_000 } },
  })
  processor = await startProcessor(scene.nats, 'llm.gl.probe')
})
after(async () => {
  await processor.close()
  await scene.close()
})
beforeEach(() => {
  scene.llm.respond(undefined)
  scene.llm.requests.clear()
  scene.records.clear()
  processor.messages.clear()
  processor.reply(() => ({ noted: true }))
})

function ask(path: string, body: unknown = chat): Promise<Response> {
  return fetch(`${scene.gateway.url}${path}chat/completions`, { method: 'POST', body: JSON.stringify(body) })
}

/** Returns the fake LLM's stream, held before its third event until `gate` resolves. */
function answerAfter(gate: Promise<void>): LlmAnswer {
  const before = (index: number) => (index === 2 ? gate : undefined)
  return answerLikeAnLlm('/chat/completions', Buffer.from(JSON.stringify(chat)), { before })
}

for (const path of ['/async/', '/status-only/', '/excludes/']) {
  test(`the stream of ${path} is not collected: its first event comes before its end`, async () => {
    const gate = Promise.withResolvers<void>()
    scene.llm.respond(() => answerAfter(gate.promise))
    const answer = await ask(path)
    const first = await answer.body?.getReader().read()
    assert.match(Buffer.from(first?.value ?? []).toString(), /^data: /)
    gate.resolve()
    const record = await scene.recordOf(answer)
    assert.equal(record.field('response.noted'), true)
    assert.equal(record.field('response.egress_payload.choices[0].message.content'), ANSWER_TEXT)
  })
}

for (const path of ['/selects/', '/everything/', '/writes/']) {
  test(`the stream of ${path} is collected: nothing is sent before its end, and unchanged bytes are sent on as they came`, async () => {
    const gate = Promise.withResolvers<void>()
    scene.llm.respond(() => answerAfter(gate.promise))
    processor.reply(() => undefined)
    const answering = ask(path)
    await scene.llm.requests.waitFor(({ complete }) => complete)
    assert.equal(processor.messages.total, 0)
    gate.resolve()
    const answer = await answering
    const direct = await fetch(`${scene.llm.url}/chat/completions`, { method: 'POST', body: JSON.stringify(chat) })
    assert.equal(await answer.text(), await direct.text())
    assert.match(answer.headers.get('content-type') ?? '', /^text\/event-stream/)
    assert.notEqual(answer.headers.get('content-length'), null)
    assert.equal(processor.messages.total, 1)
    if (path === '/writes/') return
    const { egress_payload } = processor.messages.entries[0]?.fields ?? {}
    assert.match(JSON.stringify(egress_payload), new RegExp(`"content":"${ANSWER_TEXT}"`))
  })
}

test('a collected stream that was changed leaves as one data chunk and [DONE]', async () => {
  processor.reply(() => ({ egress_payload: { changed: true } }))
  const answer = await ask('/writes/')
  assert.equal(await answer.text(), 'data: {"changed":true}\n\ndata: [DONE]\n\n')
  assert.match(answer.headers.get('content-type') ?? '', /^text\/event-stream/)
  const record = await scene.recordOf(answer)
  assert.deepEqual(record.field('response.egress_payload'), { changed: true })
  assert.equal(record.field('response.inbound_payload.choices[0].message.content'), ANSWER_TEXT)
  assert.equal(record.field('response.stream'), true)
})

const json = (headers: readonly (readonly [string, string])[], body: Uint8Array | string): LlmAnswer => ({
  kind: 'answer',
  headers: [['Content-Type', 'application/json'], ...headers],
  body,
})
const large = JSON.stringify('x'.repeat(LIMIT))

const failures: readonly (readonly [name: string, answer: () => LlmAnswer, code: string])[] = [
  ['more than response_bytes', () => json([], large), 'UPSTREAM_TOO_LARGE'],
  [
    'more than response_bytes decoded',
    () => json([['Content-Encoding', 'gzip']], gzipSync(large)),
    'UPSTREAM_TOO_LARGE',
  ],
  ['bytes that are no gzip', () => json([['Content-Encoding', 'gzip']], 'not gzip at all'), 'UPSTREAM_ENCODING'],
  [
    'gzip without its end',
    () => json([['Content-Encoding', 'gzip']], gzipSync('{"a":1}').subarray(0, -9)),
    'UPSTREAM_ENCODING',
  ],
  ['an unknown coding', () => json([['Content-Encoding', 'rot13']], '{}'), 'UPSTREAM_ENCODING'],
  ['an answer that breaks off', () => ({ kind: 'answer', body: ['{"half":'], ending: 'reset' }), 'UPSTREAM_RESET'],
  [
    'an answer without a length that is reset',
    () => ({ kind: 'raw', bytes: 'HTTP/1.1 200 OK\r\n\r\n{"half":', ending: 'reset' }),
    'UPSTREAM_RESET',
  ],
  [
    'an answer shorter than its Content-Length',
    () => ({ ...json([['Content-Length', '99']], '{'), ending: 'close' }),
    'UPSTREAM_RESET',
  ],
]

for (const [name, respond, code] of failures) {
  test(`a collected answer: ${name} is 502 ${code} with an empty body`, async () => {
    scene.llm.respond(respond)
    const answer = await ask('/selects/')
    assert.deepEqual([answer.status, answer.headers.get('gateway-error'), await answer.text()], [502, code, ''])
    assert.equal(answer.headers.get('content-encoding'), null)
    const record = await scene.recordOf(answer)
    assert.equal(record.record.error_type, 'provider_connect')
    assert.deepEqual(record.field('response.error[0]'), { name: 'outbound', details: code })
    assert.equal(processor.messages.total, 0)
  })
}

test('a caller that leaves while its answer is collected cancels the call, and the record says 499', async () => {
  scene.llm.respond(() => answerAfter(new Promise(() => undefined)))
  const abort = new AbortController()
  const body = JSON.stringify(chat)
  const asking = fetch(`${scene.gateway.url}/selects/chat/completions`, { method: 'POST', body, signal: abort.signal })
  await scene.llm.requests.waitFor(({ complete }) => complete)
  abort.abort()
  await assert.rejects(asking)
  await scene.llm.requests.waitFor(({ aborted }) => aborted)
  const [record] = await scene.records.waitForCount(1)
  assert.deepEqual([record?.record.error_type, record?.field('response.egress_status_code')], ['caller_cancelled', 499])
})

test('the gateway closes the connection of a caller that reads nothing of its collected answer for the idle limit', async () => {
  await scene.gateway.editConfig({ limits: { response_bytes: 64 * 1024 * 1024 } })
  await scene.gateway.logs.waitFor(({ msg }) => msg === 'configuration reloaded')
  scene.llm.respond(() => json([], JSON.stringify('x'.repeat(32 * 1024 * 1024))))
  using caller = await openRawConnection(scene.gateway.port)
  caller.socket.pause()
  await caller.send('GET /selects/chat/completions HTTP/1.1\r\nHost: a\r\n\r\n')
  await scene.records.waitForCount(1)
  // The record is written while the answer still waits in the gateway's connection, until the gateway closes that.
  while (await isOpen(scene.gateway.port, caller.socket.localPort ?? 0)) await setTimeout(10)
  caller.socket.resume()
  const { bytes } = await caller.ended()
  assert.ok(bytes.length < 32 * 1024 * 1024)
})

/** Returns whether the system's table of connections shows this connection as open. */
async function isOpen(port: number, peerPort: number): Promise<boolean> {
  const hex = (value: number) => value.toString(16).toUpperCase().padStart(4, '0')
  const line = new RegExp(`:${hex(port)} [0-9A-F]+:${hex(peerPort)} 01 `)
  const tables = await Promise.all(['tcp', 'tcp6'].map((name) => readFile(`/proc/net/${name}`, 'utf8')))
  return tables.some((table) => line.test(table))
}
