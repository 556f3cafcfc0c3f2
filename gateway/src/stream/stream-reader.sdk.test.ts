import assert from 'node:assert/strict'
import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { accumulateResponse } from 'openai/lib/responses/ResponseAccumulator'
import type { Response, ResponseStreamEvent } from 'openai/resources/responses/responses'
import { assembled } from './assembled-under-test.ts'

// Rules: docs/reference/record.md#streams

// The clients' accumulators define the message of a stream: ours must produce the same message.

let answer = ''
const server = http.createServer((request, response) => {
  request.resume()
  response.setHeader('content-type', 'text/event-stream')
  response.end(answer)
})
const clientOptions = () => ({ apiKey: 'none', baseURL: `http://127.0.0.1:${portOf(server)}`, maxRetries: 0 })

before(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
after(() => server.close())

function portOf(listening: http.Server): number {
  const address: AddressInfo | string | null = listening.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

/** Converts a message to plain JSON without the members that clients add for their callers. */
const plain = (message: unknown): unknown =>
  JSON.parse(JSON.stringify(message), (key, value) =>
    ['parsed', 'parsed_arguments', 'parsed_output', 'output_text', 'output_parsed'].includes(key) ? undefined : value,
  )
const sse = (events: readonly object[]) =>
  events.map((event) => `event: ${Reflect.get(event, 'type')}\ndata: ${JSON.stringify(event)}\n\n`).join('')

const HEAD = {
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1763690400,
  model: 'gpt-4o',
  system_fingerprint: 'fp_1',
}
const chunks = (...choices: readonly (readonly object[])[]) =>
  `${choices.map((choice) => `data: ${JSON.stringify({ ...HEAD, choices: choice, usage: null })}\n\n`).join('')}data: ${JSON.stringify({ ...HEAD, choices: [], usage: { prompt_tokens: 4, completion_tokens: 5, total_tokens: 9 } })}\n\ndata: [DONE]\n\n`
const delta = (fields: object, index = 0, finish: string | null = null) => ({
  index,
  delta: fields,
  logprobs: null,
  finish_reason: finish,
})
const logprobs = (token: string) => ({
  content: [{ token, logprob: -0.1, bytes: null, top_logprobs: [] }],
  refusal: null,
})

const CHATS: readonly (readonly [title: string, text: string])[] = [
  [
    'a text',
    chunks(
      [delta({ role: 'assistant', content: '', refusal: null })],
      [delta({ content: 'Hel' })],
      [delta({ content: 'lo' })],
      [delta({}, 0, 'stop')],
    ),
  ],
  [
    'a refusal',
    chunks(
      [delta({ role: 'assistant', content: null, refusal: 'No' })],
      [delta({ refusal: ', never' })],
      [delta({}, 0, 'stop')],
    ),
  ],
  [
    'two tools',
    chunks(
      [delta({ role: 'assistant', content: null })],
      [delta({ tool_calls: [{ index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: '' } }] })],
      [delta({ tool_calls: [{ index: 0, function: { arguments: '{"x"' } }] })],
      [delta({ tool_calls: [{ index: 0, function: { arguments: ':1}' } }] })],
      [delta({ tool_calls: [{ index: 1, id: 'b', type: 'custom', custom: { name: 'sh', input: 'l' } }] })],
      [delta({ tool_calls: [{ index: 1, custom: { input: 's' } }] })],
      [delta({}, 0, 'tool_calls')],
    ),
  ],
  [
    'the old function call',
    chunks(
      [delta({ role: 'assistant', content: null, function_call: { name: 'f', arguments: '' } })],
      [delta({ function_call: { arguments: '{}' } })],
      [delta({}, 0, 'function_call')],
    ),
  ],
  [
    'three choices with log probabilities',
    chunks(
      [
        delta({ role: 'assistant', content: '' }, 2),
        delta({ role: 'assistant', content: '' }, 0),
        delta({ role: 'assistant', content: '' }, 1),
      ],
      [
        { ...delta({ content: 'c' }, 2), logprobs: logprobs('c') },
        { ...delta({ content: 'a' }, 0), logprobs: logprobs('a') },
      ],
      [{ ...delta({ content: 'C' }, 2), logprobs: logprobs('C') }, delta({ content: 'b' }, 1)],
      [delta({}, 0, 'stop'), delta({}, 1, 'length'), delta({}, 2, 'content_filter')],
    ),
  ],
]

for (const [title, text] of CHATS) {
  test(`the openai client accumulates the same chat completion: ${title}`, async () => {
    answer = text
    const client = new OpenAI(clientOptions())
    const theirs = await client.chat.completions.stream({ model: 'gpt-4o', messages: [] }).finalChatCompletion()
    assert.deepEqual(plain(assembled(text)), plain(theirs))
  })
}

const MESSAGE = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude',
  content: [],
  stop_reason: null,
  stop_sequence: null,
  usage: {
    input_tokens: 4,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 2,
    output_tokens: 1,
    service_tier: 'standard',
  },
}
const block = (index: number, content_block: object, ...deltas: readonly object[]) => [
  { type: 'content_block_start', index, content_block },
  ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
  { type: 'content_block_stop', index },
]

test('the Anthropic client accumulates the same message', async () => {
  const events = [
    { type: 'message_start', message: MESSAGE },
    { type: 'ping' },
    ...block(
      0,
      { type: 'thinking', thinking: '', signature: '' },
      { type: 'thinking_delta', thinking: 'Let me' },
      { type: 'thinking_delta', thinking: ' see' },
      { type: 'signature_delta', signature: 'c2ln' },
    ),
    ...block(
      1,
      { type: 'text', text: '', citations: null },
      { type: 'text_delta', text: 'Hel' },
      { type: 'citations_delta', citation: { type: 'char_location', cited_text: 'x', document_index: 0 } },
      { type: 'text_delta', text: 'lo' },
    ),
    ...block(
      2,
      { type: 'tool_use', id: 'toolu_1', name: 'f', input: {} },
      { type: 'input_json_delta', partial_json: '' },
      { type: 'input_json_delta', partial_json: '{"city": "S' },
      { type: 'input_json_delta', partial_json: 'F", "n": [1, 2]}' },
    ),
    ...block(3, { type: 'tool_use', id: 'toolu_2', name: 'g', input: {} }),
    {
      type: 'message_delta',
      delta: { stop_reason: 'tool_use', stop_sequence: null },
      usage: { input_tokens: 10, cache_read_input_tokens: null, output_tokens: 89 },
    },
    { type: 'message_stop' },
  ]
  answer = sse(events)
  const client = new Anthropic(clientOptions())
  const theirs = await client.messages.stream({ model: 'claude', max_tokens: 9, messages: [] }).finalMessage()
  assert.deepEqual(plain(assembled(answer)), plain(theirs))
})

const RESPONSE = {
  id: 'resp_1',
  object: 'response',
  created_at: 1763690400,
  model: 'gpt-4o',
  status: 'in_progress',
  error: null,
  output: [],
}
const at = (type: string, output_index: number, fields: object) => ({
  type: `response.${type}`,
  output_index,
  item_id: `i${output_index}`,
  ...fields,
})
const part = (text: string) => ({ type: 'output_text', text, annotations: [], logprobs: [] })
const items = [
  { type: 'reasoning', id: 'i0', summary: [{ type: 'summary_text', text: 'Well' }], status: 'completed' },
  { type: 'message', id: 'i1', role: 'assistant', status: 'completed', content: [part('Hello')] },
  { type: 'function_call', id: 'i2', call_id: 'c', name: 'f', arguments: '{"a":1}', status: 'completed' },
]
const RESPONSE_EVENTS = [
  { type: 'response.created', response: RESPONSE },
  { type: 'response.in_progress', response: RESPONSE },
  at('output_item.added', 0, { item: { ...items[0], summary: [], status: 'in_progress' } }),
  at('reasoning_summary_part.added', 0, { summary_index: 0, part: { type: 'summary_text', text: '' } }),
  at('reasoning_summary_text.delta', 0, { summary_index: 0, delta: 'We' }),
  at('reasoning_summary_text.delta', 0, { summary_index: 0, delta: 'll' }),
  at('reasoning_summary_text.done', 0, { summary_index: 0, text: 'Well' }),
  at('output_item.done', 0, { item: items[0] }),
  at('output_item.added', 1, { item: { ...items[1], content: [], status: 'in_progress' } }),
  at('content_part.added', 1, { content_index: 0, part: part('') }),
  at('output_text.delta', 1, { content_index: 0, delta: 'Hel', logprobs: [] }),
  at('output_text.delta', 1, { content_index: 0, delta: 'lo', logprobs: [] }),
  at('output_text.done', 1, { content_index: 0, text: 'Hello', logprobs: [] }),
  at('content_part.done', 1, { content_index: 0, part: part('Hello') }),
  at('output_item.done', 1, { item: items[1] }),
  at('output_item.added', 2, { item: { ...items[2], arguments: '', status: 'in_progress' } }),
  at('function_call_arguments.delta', 2, { delta: '{"a"' }),
  at('function_call_arguments.delta', 2, { delta: ':1}' }),
  at('function_call_arguments.done', 2, { arguments: '{"a":1}' }),
  at('output_item.done', 2, { item: items[2] }),
  {
    type: 'response.completed',
    response: { ...RESPONSE, status: 'completed', output: items, usage: { input_tokens: 4, output_tokens: 5 } },
  },
].map((event, sequence_number) => ({ ...event, sequence_number }))

test('the openai client accumulates the same response', async () => {
  answer = sse(RESPONSE_EVENTS)
  const client = new OpenAI(clientOptions())
  const theirs = await client.responses.stream({ model: 'gpt-4o', input: 'Hi' }).finalResponse()
  assert.deepEqual(plain(assembled(answer)), plain(theirs))
})

test('the openai client accumulates the same response wherever the stream breaks off', () => {
  let theirs: Response | undefined
  for (const [i, event] of RESPONSE_EVENTS.entries()) {
    const typed: ResponseStreamEvent = JSON.parse(JSON.stringify(event))
    theirs = accumulateResponse(typed, theirs)
    assert.deepEqual(plain(assembled(sse(RESPONSE_EVENTS.slice(0, i + 1)))), plain(theirs), `after ${event.type}`)
  }
})
