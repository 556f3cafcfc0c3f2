import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { freePort } from '../../fake/free-port.ts'
import { jsonAnswer, type LlmAnswer } from '../../fake/llm-answer.ts'
import { ANSWER_TEXT } from '../../fake/llm-dialects.ts'
import { type Scene, startScene } from '../../fake/scene.ts'

// Rules: docs/reference/http.md#errors, docs/reference/http.md#streaming

let scene: Scene
const messages: { role: 'user'; content: string }[] = [{ role: 'user', content: 'Who founded Microsoft?' }]
const asked = { model: 'test-model', messages }

before(async () => {
  const dead = await freePort()
  scene = await startScene({
    routers: (url) => [
      { path: '/llm/', outbound: { url } },
      { path: '/keyed/', ingress: { headers: { 'X-Team': ['blue'] } }, outbound: { url } },
      {
        path: '/swapped/',
        ingress: { headers: { Authorization: ['Bearer sk-caller'] } },
        outbound: { url, headers: { 'X-Api-Key': ['sk-real'] } },
      },
      { path: '/dead/', outbound: { url: `http://127.0.0.1:${dead}` } },
    ],
    config: { limits: { request_bytes: 4096 } },
  })
})
after(() => scene.close())
beforeEach(() => {
  scene.llm.respond(undefined)
  scene.llm.requests.clear()
})

function openai(path: string, maxRetries = 0): OpenAI {
  return new OpenAI({ baseURL: `${scene.gateway.url}${path}`, apiKey: 'sk-caller', maxRetries })
}

function anthropic(path: string, maxRetries = 0): Anthropic {
  return new Anthropic({ baseURL: `${scene.gateway.url}${path}`, apiKey: 'sk-caller', maxRetries })
}

const ask = {
  openai: (path: string, retries?: number) => openai(path, retries).chat.completions.create(asked),
  anthropic: (path: string, retries?: number) => anthropic(path, retries).messages.create({ ...asked, max_tokens: 15 }),
}

test('clients, openai: chat completions come whole and streamed with only base_url changed', async () => {
  const client = openai('/llm')
  const whole = await client.chat.completions.create(asked)
  assert.equal(whole.choices[0]?.message.content, ANSWER_TEXT)
  assert.equal(whole.usage?.total_tokens, 24)
  let text = ''
  for await (const chunk of await client.chat.completions.create({ ...asked, stream: true })) {
    text += chunk.choices[0]?.delta.content ?? ''
  }
  assert.equal(text, ANSWER_TEXT)
  assert.deepEqual(
    scene.llm.requests.entries.map((seen) => [seen.method, seen.url, seen.header('authorization')]),
    [1, 2].map(() => ['POST', '/chat/completions', ['Bearer sk-caller']]),
  )
})

test('clients, both: the key of an SDK opens a router that requires Authorization, and the LLM API gets the real key', async () => {
  await ask.openai('/swapped')
  await ask.anthropic('/swapped')
  const seen = scene.llm.requests.entries.map((seen) => [seen.header('authorization'), seen.header('x-api-key')])
  assert.deepEqual(seen, [
    [[], ['sk-real']],
    [[], ['sk-real']],
  ])
})

test('clients, openai: responses come whole and streamed, models by GET', async () => {
  const client = openai('/llm')
  const question = { model: 'test-model', input: 'Who?' }
  assert.equal((await client.responses.create(question)).output_text, ANSWER_TEXT)
  const final = await client.responses.stream(question).finalResponse()
  assert.equal(final.output_text, ANSWER_TEXT)
  assert.deepEqual(
    (await client.models.list()).data.map(({ id }) => id),
    ['gpt-4'],
  )
})

test('clients, anthropic: messages come whole and streamed with only base_url changed', async () => {
  const client = anthropic('/llm')
  const whole = await client.messages.create({ ...asked, max_tokens: 15 })
  assert.deepEqual(whole.content, [{ type: 'text', text: ANSWER_TEXT }])
  const final = await client.messages.stream({ ...asked, max_tokens: 15 }).finalMessage()
  assert.equal(final.content[0]?.type === 'text' && final.content[0].text, ANSWER_TEXT)
  assert.equal(final.usage.output_tokens, 11)
  assert.deepEqual(
    scene.llm.requests.entries.map(({ url }) => url),
    ['/v1/messages', '/v1/messages'],
  )
})

function events(list: readonly Readonly<Record<string, unknown>>[]): LlmAnswer {
  const pieces = list.map((event) => {
    const name = typeof event.type === 'string' ? `event: ${event.type}\n` : ''
    return `${name}data: ${JSON.stringify(event)}\n\n`
  })
  return { kind: 'answer', headers: [['Content-Type', 'text/event-stream']], body: pieces }
}

test('clients, openai: streamed tool calls arrive, and are assembled in the record', async () => {
  const delta = (fields: object, finish_reason: string | null = null) => ({
    id: 'c1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, finish_reason, delta: fields }],
  })
  const named = { index: 0, id: 'call_1', type: 'function', function: { name: 'weather', arguments: '' } }
  const parts = ['{"city":', '"Paris"}'].map((text) => ({ tool_calls: [{ index: 0, function: { arguments: text } }] }))
  const deltas = [{ role: 'assistant', tool_calls: [named] }, ...parts].map((fields) => delta(fields))
  scene.llm.respond(() => events([...deltas, delta({}, 'tool_calls')]))
  const final = await openai('/llm').chat.completions.stream(asked).finalChatCompletion()
  const [call] = final.choices[0]?.message.tool_calls ?? []
  assert.equal(call?.type === 'function' && call.function.arguments, '{"city":"Paris"}')
  const field = 'response.egress_payload.choices[0].message.tool_calls[0]'
  const recorded = (await scene.records.waitFor((record) => record.field(field) !== undefined)).field(field)
  assert.deepEqual(recorded, {
    id: 'call_1',
    type: 'function',
    function: { name: 'weather', arguments: '{"city":"Paris"}' },
  })
})

test('clients, anthropic: streamed tool use arrives, and is assembled in the record', async () => {
  const message = { id: 'm1', type: 'message', role: 'assistant', model: 'm', content: [], stop_reason: null }
  const block = { type: 'tool_use', id: 'tool_1', name: 'weather', input: {} }
  const piece = (partial_json: string) => ({
    type: 'content_block_delta',
    index: 0,
    delta: { type: 'input_json_delta', partial_json },
  })
  scene.llm.respond(() =>
    events([
      { type: 'message_start', message: { ...message, usage: { input_tokens: 3, output_tokens: 1 } } },
      { type: 'content_block_start', index: 0, content_block: block },
      piece('{"city":'),
      piece('"Paris"}'),
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 9 } },
      { type: 'message_stop' },
    ]),
  )
  const final = await anthropic('/llm')
    .messages.stream({ ...asked, max_tokens: 15 })
    .finalMessage()
  assert.deepEqual(final.content[0]?.type === 'tool_use' && final.content[0].input, { city: 'Paris' })
  const field = 'response.egress_payload.content[0]'
  const record = await scene.records.waitFor((seen) => seen.field('response.egress_payload.id') === 'm1')
  assert.deepEqual(record.field(field), { ...block, input: { city: 'Paris' } })
})

const refusals = [
  { path: '/keyed', status: 401, code: 'INGRESS_HEADER_MISSING', message: /X-Team/ },
  { path: '/none', status: 404, code: 'ROUTER_NOT_FOUND', message: /No router/ },
]

for (const { path, status, code, message } of refusals) {
  test(`clients: both SDKs show the gateway's ${code} with its message`, async () => {
    await assert.rejects(ask.openai(path), (error) => {
      assert.ok(error instanceof OpenAI.APIError)
      assert.deepEqual([error.status, error.code], [status, code])
      assert.match(error.message, message)
      return true
    })
    await assert.rejects(ask.anthropic(path), (error) => {
      assert.ok(error instanceof Anthropic.APIError)
      assert.equal(error.status, status)
      assert.match(error.message, message)
      assert.match(JSON.stringify(error.error), new RegExp(`^{"type":"error","error":.*"code":"${code}"`))
      return true
    })
    assert.equal(scene.llm.requests.total, 0)
  })
}

test('clients: both SDKs show the gateway’s BODY_TOO_LARGE', async () => {
  const large = { ...asked, messages: [{ role: 'user' as const, content: 'x'.repeat(5000) }] }
  await assert.rejects(openai('/llm').chat.completions.create(large), { status: 413, code: 'BODY_TOO_LARGE' })
  const calling = anthropic('/llm').messages.create({ ...large, max_tokens: 1 })
  await assert.rejects(calling, (error) => error instanceof Anthropic.APIError && /too large/.test(error.message))
})

test('clients: a 429 of the LLM API reaches both SDKs unchanged', async () => {
  const body = { type: 'error', error: { type: 'rate_limit_error', code: 'slow_down', message: 'Slow down, please.' } }
  scene.llm.respond(() => jsonAnswer(body, { status: 429, headers: [['X-Request-Id', 'up-1']] }))
  await assert.rejects(ask.openai('/llm'), (error) => {
    assert.ok(error instanceof OpenAI.RateLimitError)
    assert.deepEqual([error.code, error.type, error.requestID], ['slow_down', 'rate_limit_error', 'up-1'])
    return true
  })
  await assert.rejects(ask.anthropic('/llm'), (error) => {
    assert.ok(error instanceof Anthropic.RateLimitError)
    assert.deepEqual(error.error, body)
    return true
  })
})

test('clients: an UPSTREAM error is a 502 without a body; Gateway-Error has its code', async () => {
  for (const call of [ask.openai, ask.anthropic]) {
    await assert.rejects(call('/dead'), (error) => {
      assert.ok(error instanceof OpenAI.APIError || error instanceof Anthropic.APIError)
      assert.equal(error.status, 502)
      assert.equal(error.headers?.get('gateway-error'), 'UPSTREAM_REFUSED')
      return true
    })
  }
})

test('clients: an abort closes the upstream connection, in a stream and before an answer', async () => {
  const { llm } = scene
  const gate = Promise.withResolvers<void>()
  llm.respond(() => ({
    kind: 'answer',
    headers: [['Content-Type', 'text/event-stream']],
    body: (async function* () {
      yield 'data: {"choices":[]}\n\n'
      await gate.promise
    })(),
  }))
  const stream = await openai('/llm').chat.completions.create({ ...asked, stream: true })
  for await (const _ of stream) stream.controller.abort()
  await llm.requests.waitFor(({ number, aborted }) => number === 1 && aborted)
  gate.resolve()
  llm.respond(() => ({ kind: 'hang' }))
  const abort = new AbortController()
  const calling = anthropic('/llm').messages.create({ ...asked, max_tokens: 1 }, { signal: abort.signal })
  await llm.requests.waitFor(({ number, complete }) => number === 2 && complete)
  abort.abort()
  await assert.rejects(calling, Anthropic.APIUserAbortError)
  await llm.requests.waitFor(({ number, aborted }) => number === 2 && aborted)
})

test('clients: the gateway never retries: with retries off in the client the LLM API sees one request', async () => {
  const failing = ({ number }: { number: number }): LlmAnswer =>
    jsonAnswer({ error: { message: 'again' } }, { status: 503, headers: [['Retry-After-Ms', String(number)]] })
  scene.llm.respond(failing)
  for (const call of [ask.openai, ask.anthropic]) {
    scene.llm.requests.clear()
    await assert.rejects(call('/llm', 0), { status: 503 })
    assert.equal(scene.llm.requests.total, 1)
    await assert.rejects(call('/llm', 2), { status: 503 })
    assert.equal(scene.llm.requests.total, 4)
  }
})
