import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import type { LlmAnswer } from '../../fake/llm-answer.ts'
import { ANSWER_TEXT, answerLikeAnLlm } from '../../fake/llm-dialects.ts'
import { openRawConnection, type RawConnection } from '../../fake/raw-http.ts'
import { type Scene, startScene } from '../../fake/scene.ts'

// Rules: docs/reference/http.md#streaming, docs/reference/http.md#errors, docs/reference/record.md#streams

let scene: Scene
const chat = { model: 'm', messages: [], stream: true, stream_options: { include_usage: true } }

before(async () => {
  scene = await startScene({
    config: { limits: { request_idle_timeout_ms: 3_000, outbound_timeout_ms: 10_000, response_bytes: 1024 * 1024 } },
  })
})
after(() => scene.close())
beforeEach(() => {
  scene.llm.respond(undefined)
  scene.llm.requests.clear()
  scene.records.clear()
})

function post(path: string, body: unknown, signal?: AbortSignal): Promise<Response> {
  const init = { method: 'POST', body: JSON.stringify(body) }
  return fetch(`${scene.url}${path}`, signal === undefined ? init : { ...init, signal })
}

/** Returns an event stream whose pieces are awaited one by one. */
function streamed(pieces: () => AsyncGenerator<Uint8Array | string>, ending: 'end' | 'reset' = 'end'): LlmAnswer {
  return { kind: 'answer', headers: [['Content-Type', 'text/event-stream']], body: pieces(), ending }
}

/** Opens a caller on a socket of its own, which reads when the test lets it. */
async function openCaller(): Promise<RawConnection> {
  const raw = await openRawConnection(scene.gateway.port)
  const body = JSON.stringify(chat)
  await raw.send(`POST /llm/chat/completions HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
  return raw
}

test('each event of a stream reaches the caller before the LLM API sends the next', async () => {
  const gates = [0, 1, 2].map(() => Promise.withResolvers<void>())
  scene.llm.respond(() =>
    streamed(async function* () {
      for (const [index, gate] of gates.entries()) {
        yield `data: ${index}\n\n`
        await gate.promise
      }
    }),
  )
  const answer = await post('/chat/completions', chat)
  const reader = answer.body?.getReader()
  for (const [index, gate] of gates.entries()) {
    assert.equal(Buffer.from((await reader?.read())?.value ?? []).toString(), `data: ${index}\n\n`)
    gate.resolve()
  }
  assert.equal((await reader?.read())?.done, true)
})

test('the head of a stream reaches the caller before the first event', async () => {
  const gate = Promise.withResolvers<void>()
  scene.llm.respond(() =>
    streamed(async function* () {
      await gate.promise
      yield 'data: 1\n\n'
    }),
  )
  const answer = await post('/chat/completions', chat)
  assert.equal(answer.status, 200)
  gate.resolve()
  assert.equal(await answer.text(), 'data: 1\n\n')
})

const dialects = [
  { path: '/chat/completions', total: 'usage.total_tokens', text: 'choices[0].message.content' },
  { path: '/v1/messages', total: 'usage.output_tokens', text: 'content[0].text' },
  { path: '/v1/responses', total: 'usage.total_tokens', text: 'output[0].content[0].text' },
]

for (const { path, total, text } of dialects) {
  test(`the record of ${path} has the assembled message, stream and first_byte_timer`, async () => {
    const answer = await post(path, chat)
    const direct = await fetch(`${scene.llm.url}${path}`, { method: 'POST', body: JSON.stringify(chat) })
    assert.equal(await answer.text(), await direct.text())
    const record = await scene.recordOf(answer)
    for (const side of ['inbound_payload', 'egress_payload']) {
      assert.equal(record.field(`response.${side}.${text}`), ANSWER_TEXT)
      assert.equal(record.field(`response.${side}.${total}`), total.includes('output') ? 11 : 24)
    }
    assert.equal(record.field('response.stream'), true)
    assert.match(JSON.stringify(record.field('response.first_byte_timer')), /"start":"20.*"stop":"20.*"duration":\d/)
    assert.equal(record.record.error_type, undefined)
  })
}

test('events of an unknown kind are recorded as text, and a complete answer has no stream fields', async () => {
  scene.llm.respond(() =>
    streamed(async function* () {
      yield ': hello\n\ndata: what\n\n'
    }),
  )
  const streamedAnswer = await post('/chat/completions', chat)
  await streamedAnswer.text()
  const record = await scene.recordOf(streamedAnswer)
  assert.equal(record.field('response.egress_payload'), ': hello\n\ndata: what\n\n')
  scene.llm.respond(undefined)
  const whole = await post('/chat/completions', {})
  await whole.text()
  const { response } = (await scene.recordOf(whole)).record
  assert.deepEqual([response?.stream, response?.first_byte_timer], [undefined, undefined])
})

test('a caller that stops reading stops the LLM API by backpressure and loses its connection at the idle limit', async () => {
  let sent = 0
  const block = Buffer.alloc(64 * 1024, 'x')
  scene.llm.respond(() =>
    streamed(async function* () {
      for (;;) {
        sent += block.length
        yield block
      }
    }),
  )
  const caller = await openCaller()
  caller.socket.pause()
  const record = await scene.records.waitFor(({ record: { error_type } }) => error_type === 'caller_cancelled')
  // The socket buffers of both connections hold a part; the gateway must not read far beyond them.
  assert.ok(sent < 32 * 1024 * 1024, `${sent} bytes were sent to a caller that read none`)
  assert.equal(record.field('response.egress_status_code'), 499)
  assert.deepEqual(record.field('response.error[0]'), { name: 'egress_status_code', details: '499' })
  await scene.llm.requests.waitFor(({ aborted }) => aborted)
  caller.socket.resume()
  assert.notEqual((await caller.ended()).ended, 'timeout')
})

test('a caller that reads slowly gets everything', async () => {
  const block = Buffer.alloc(256 * 1024, 'y')
  scene.llm.respond(() =>
    streamed(async function* () {
      for (let index = 0; index < 80; index += 1) yield block
    }),
  )
  const answer = await post('/chat/completions', chat)
  let bytes = 0
  for await (const chunk of answer.body ?? []) {
    bytes += chunk.length
    await new Promise((resolve) => setImmediate(resolve))
  }
  assert.equal(bytes, 80 * block.length)
  const record = await scene.recordOf(answer)
  assert.deepEqual(record.record.cut, ['egress_payload', 'inbound_payload'])
  assert.equal(record.field('response.egress_payload.bytes'), bytes)
})

test('a broken stream ends uncleanly for the caller, and the record has provider_stream and the part that arrived', async () => {
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  scene.llm.respond(() =>
    streamed(async function* () {
      yield 'data: {"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"half"}}]}\n\n'
      first.resolve()
      await second.promise
    }, 'reset'),
  )
  using caller = await openCaller()
  await first.promise
  const head = await caller.waitFor(/half/)
  second.resolve()
  const { text } = await caller.ended()
  assert.doesNotMatch(text, /\r\n0\r\n\r\n$/)
  const id = /session-id: (\S+)/i.exec(head)?.[1]
  const record = await scene.records.waitFor((seen) => seen.record.transaction_id === id)
  assert.equal(record.record.error_type, 'provider_stream')
  assert.equal(record.field('response.egress_status_code'), 200)
  assert.deepEqual(record.field('response.error'), [{ name: 'outbound', details: 'UPSTREAM_RESET' }])
  assert.match(JSON.stringify(record.field('response.egress_payload')), /half/)
})

test('a caller that leaves in mid-stream or before the head cancels the upstream call, and the record says 499', async () => {
  const waiting: readonly (() => LlmAnswer)[] = [
    () =>
      answerLikeAnLlm('/chat/completions', Buffer.from(JSON.stringify(chat)), {
        before: (index) => (index < 2 ? undefined : new Promise(() => undefined)),
      }),
    () => ({ kind: 'hang' }),
  ]
  for (const [index, respond] of waiting.entries()) {
    scene.llm.respond(respond)
    const caller = await openCaller()
    if (index === 0) await caller.waitFor(/Session-Id/)
    await scene.llm.requests.waitFor(({ number, complete }) => number === 1 && complete)
    caller.close()
    await scene.llm.requests.waitFor(({ aborted }) => aborted)
    const [record] = await scene.records.waitForCount(1)
    assert.equal(record?.record.error_type, 'caller_cancelled')
    assert.equal(record?.field('response.egress_status_code'), 499)
    assert.equal(record?.field('response.inbound_status_code'), index === 0 ? 200 : undefined)
    scene.llm.requests.clear()
    scene.records.clear()
  }
})

test('a caller that leaves after the last event counts as answered', async () => {
  const left = Promise.withResolvers<void>()
  scene.llm.respond(() =>
    streamed(async function* () {
      yield 'data: {"object":"chat.completion.chunk","choices":[]}\n\ndata: [DONE]\n\n'
      await left.promise
    }),
  )
  const caller = await openCaller()
  await caller.waitFor(/\[DONE\]/)
  caller.close()
  const [seen] = await scene.records.journal.waitForCount(1)
  left.resolve()
  assert.equal(seen?.record.error_type ?? '', '')
  assert.equal(seen?.field('response.egress_status_code'), 200)
})
