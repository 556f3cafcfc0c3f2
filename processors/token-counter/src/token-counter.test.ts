import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { journalLogger } from '@llm-gateway/sdk/journal-logger-under-test'
import { createCaps, usedTokensInMemory } from './caps.ts'
import type { CountedText } from './large-reading.ts'
import { createTokenCounter } from './token-counter.ts'
import { compileUsage } from './usage.ts'

// Rules: docs/reference/processors.md#token-counter

const NOW = 1_763_690_430_000
const usage = (total: number) => ({ usage: { prompt_tokens: total - 1, completion_tokens: 1, total_tokens: total } })
const counted = (total: number) => ({
  token_count: { prompt_tokens: total - 1, completion_tokens: 1, total_tokens: total },
})
const REFUSED = {
  control: { Error: 'Consumption Cap Exceeded. Try again later', Path: '/service/capped/' },
  control_status_code: 429,
  control_headers: { 'Retry-After': ['90'] },
}

test('a capped router answers 429 with Retry-After once its tokens are used up, and other routers do not', async () => {
  const { counter, lines } = created()
  const request = { gl_path: '/service/capped/', ingress_payload: { messages: [] } }
  const response = { gl_path: '/service/capped/', inbound_status_code: 200, inbound_payload: usage(60) }
  assert.deepEqual(await counter(request), undefined)
  assert.deepEqual(await counter(response), counted(60))
  assert.deepEqual(await counter(request), undefined)
  assert.deepEqual(await counter(response), counted(60))
  assert.deepEqual(await counter(request), REFUSED)
  assert.deepEqual(await counter(request), REFUSED)
  assert.deepEqual(await counter({ ...request, gl_path: '/service/standard/' }), undefined)
  const fields = { router: '/service/capped/', field: 'total_tokens' }
  assert.deepEqual(lines, [{ level: 'INFO', message: 'consumption cap reached', fields }])
})

test('tokens are booked on the router that answered and on the router that was called', async () => {
  const { counter } = created()
  const rerouted = { gl_path: '/pool/gpt4/', original_gl_path: '/service/capped/' }
  await counter({ ...rerouted, inbound_status_code: 200, inbound_payload: usage(100) })
  assert.deepEqual(await counter({ gl_path: '/service/capped/' }), REFUSED)
  assert.deepEqual(await counter(rerouted), REFUSED)
})

test('only 2xx answers of an upstream are counted', async () => {
  const { counter } = created()
  const answer = { gl_path: '/service/capped/', inbound_payload: usage(1_000) }
  for (const status of [400, 429, 500, 304, '200', null]) {
    assert.equal(await counter({ ...answer, inbound_status_code: status }), undefined)
  }
  assert.equal(await counter(answer), undefined)
  assert.equal(await counter({ gl_path: '/service/capped/' }), undefined)
  assert.deepEqual(await counter({ ...answer, inbound_status_code: 201 }), counted(1_000))
})

test('an answer without usage is estimated, marked so, and counts against the caps', async () => {
  const { counter } = created()
  const payload = { choices: [{ message: { role: 'assistant', content: 'x'.repeat(100) } }] }
  const answer = { gl_path: '/service/capped/', inbound_status_code: 200, inbound_payload: payload }
  const token_count = { completion_tokens: 100, estimated: true }
  assert.deepEqual(await counter(answer), { token_count })
  assert.deepEqual(await counter({ gl_path: '/service/capped/' }), REFUSED)
})

test('only the request of a stream without usage books its prompt', async () => {
  const { counter } = created()
  const stream = { messages: [{ role: 'user', content: 'x'.repeat(60) }], stream: true }
  const request = (ingress_payload: object) => counter({ gl_path: '/service/capped/', ingress_payload })
  for (const _ of ['first', 'second', 'third']) {
    assert.equal(await request({ ...stream, stream_options: { include_usage: true } }), undefined)
  }
  assert.equal(await request(stream), undefined)
  assert.equal(await request(stream), undefined)
  assert.deepEqual(await request(stream), REFUSED)
})

test('a stream without usage counts by its prompt and by its answer', async () => {
  const { counter } = created()
  const ingress_payload = { messages: [{ role: 'user', content: 'x'.repeat(60) }], stream: true }
  const inbound_payload = { choices: [{ message: { content: 'y'.repeat(40) } }] }
  await counter({ gl_path: '/service/capped/', ingress_payload })
  await counter({ gl_path: '/service/capped/', inbound_status_code: 200, inbound_payload })
  assert.deepEqual(await counter({ gl_path: '/service/capped/' }), REFUSED)
})

test('a stream that reports usage unasked counts once', async () => {
  const { counter } = created()
  const ingress_payload = { messages: [{ role: 'user', content: 'x'.repeat(45) }], stream: true }
  const answer = { gl_path: '/service/capped/', inbound_status_code: 200, inbound_payload: usage(46) }
  for (const _ of ['first', 'second']) {
    assert.equal(await counter({ gl_path: '/service/capped/', ingress_payload }), undefined)
    assert.deepEqual(await counter(answer), counted(46))
  }
  // 92 of 100 are used; booked twice, it would be 182.
  assert.equal(await counter({ gl_path: '/service/capped/', ingress_payload: {} }), undefined)
  await counter({ ...answer, inbound_payload: usage(8) })
  assert.deepEqual(await counter({ gl_path: '/service/capped/', ingress_payload: {} }), REFUSED)
})

test('an answer with usage does not cancel the estimated prompt of another stream', async () => {
  const { counter } = created()
  const message = (content: string, stream: boolean) => ({ messages: [{ role: 'user', content }], stream })
  await counter({ gl_path: '/service/capped/', ingress_payload: message('x'.repeat(60), true) })
  await counter({ gl_path: '/service/capped/', ingress_payload: message('y', false) })
  await counter({ gl_path: '/service/capped/', inbound_status_code: 200, inbound_payload: usage(40) })
  assert.deepEqual(await counter({ gl_path: '/service/capped/' }), REFUSED)
})

test('an answer without text gets no estimate', async () => {
  const { counter } = created()
  for (const inbound_payload of [null, { base64: '/+MYxAA=' }]) {
    assert.equal(await counter({ gl_path: '/service/capped/', inbound_status_code: 200, inbound_payload }), undefined)
  }
})

test('a message without a valid path gets an empty answer', async () => {
  const { counter } = created()
  for (const message of [{}, { gl_path: null }, { gl_path: 7, original_gl_path: [] }]) {
    assert.equal(await counter(message), undefined)
  }
})

test('a text that waits for its estimate keeps nothing else of its message', async () => {
  const { promise: estimated, resolve } = Promise.withResolvers<number>()
  const { answer } = created(() => estimated)
  const content = 'x'.repeat(100)
  const request = () => ({ ingress_payload: { messages: [{ role: 'user', content }], stream: true } })
  const response = () => ({ inbound_status_code: 200, inbound_payload: { choices: [{ message: { content } }] } })
  const messages = [request, response].map((fields) => {
    const message = new Map<string, unknown>(Object.entries({ gl_path: '/service/capped/', ...fields() }))
    void answer(message)
    return new WeakRef(message)
  })
  // A WeakRef keeps its target until the end of the turn in which it was made.
  await nextTurn()
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  assert.deepEqual(
    messages.map((message) => message.deref()),
    [undefined, undefined],
  )
  resolve(1)
})

function created(estimate: (text: CountedText) => Promise<number> = async ({ length }) => length) {
  const { logger, lines } = journalLogger()
  const tokenCaps = [{ router: '/service/capped/', fields: [{ field: 'total_tokens', value: 100 }] }]
  const patterns = ['prompt_tokens', 'completion_tokens', 'total_tokens'].map((field) => ({
    field,
    pattern: `inbound_payload.usage.${field}`,
  }))
  const answer = createTokenCounter({
    caps: createCaps({ tokenCaps, periodSeconds: 120, usedTokens: usedTokensInMemory() }),
    readUsage: compileUsage([{ router: 'default', patterns }]),
    estimate,
    logger,
    now: () => NOW,
  })
  const counter = async (message: object) => await answer(new Map(Object.entries(message)))
  return { answer, counter, lines: lines.entries }
}
