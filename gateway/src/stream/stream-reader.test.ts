import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createJsonEngine } from '../json/json-scan.ts'
import { TurnBudget } from '../work/turn-budget.ts'
import { chunksOf, readStream } from './assembled-under-test.ts'
import { StreamReader } from './stream-reader.ts'

// Rules: docs/reference/http.md#streaming, docs/reference/record.md#streams

const event = (data: unknown) => `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`
const chat = (delta: object, rest: object = {}) =>
  event({ id: 'c', object: 'chat.completion.chunk', model: 'm', ...rest, choices: [{ index: 0, delta }] })
const started = event({ type: 'message_start', message: { id: 'm', content: [], usage: { input_tokens: 3 } } })
const reader = (...texts: readonly string[]) => {
  const made = new StreamReader(new TurnBudget(), createJsonEngine())
  for (const text of texts) made.add(Buffer.from(text))
  return made
}

const STATES: readonly (readonly [title: string, text: string, state: StreamReader['state']])[] = [
  ['nothing', '', 'undecided'],
  ['a comment', ': ping\n\n', 'undecided'],
  ['half a chunk', chat({ content: 'a' }).slice(0, -1), 'undecided'],
  ['a chunk', chat({ content: 'a' }), 'recognized'],
  ['a chunk without choices before it', event({ choices: [] }), 'undecided'],
  ['a legacy completion', event({ choices: [{ text: 'a' }] }), 'undecided'],
  ['an Anthropic message', started, 'recognized'],
  ['an OpenAI response', event({ type: 'response.created', response: { id: 'r' } }), 'recognized'],
  ['other events', event({ tick: 1_000_000 }), 'undecided'],
  ['a thousand other events', event({ tick: 1_000_000 }).repeat(1_000), 'unknown'],
  ['a chunk behind a thousand other events', event({ tick: 1_000_000 }).repeat(1_000) + chat({}), 'unknown'],
]

for (const [title, text, state] of STATES) {
  test(`stream reader: ${title}: ${state}`, () => assert.equal(reader(text).state, state))
}

const ENDS: readonly (readonly [texts: readonly string[], ended: boolean])[] = [
  [['data: {"a":1}\n\ndata: [DONE]\n\n'], true],
  [['data: {"a":1}\n\n', 'data: [DO', 'NE]\n', '\n'], true],
  [['data: {"a":1}\n\n', 'data: [DO', 'NE]\n'], true],
  [['data:[DONE]'], true],
  [['data: {"a":1}\r\n\r\ndata: [DONE]\r\n\r\n'], true],
  [[started, 'event: message_stop\ndata: {"type":"message_stop"}\n\n'], true],
  [[started, 'event: message_stop\ndata: { "type": "message_stop", "x": 1 }\n\n'], true],
  [[event({ type: 'response.created', response: {} }), event({ type: 'response.completed', response: {} })], true],
  [[`data: ${'x'.repeat(5_000)}\n\n`, 'data: [DONE]\n\n'], true],
  [[event({ tick: 1_000_000 }).repeat(2_000), 'data: [DONE]\n\n'], true],
  [['data: {"a":1}\n\n'], false],
  [['data: [DONE]\n\ndata: {"a":1}\n\n'], false],
  [['data: {"text":"data: [DONE]"}\n\n'], false],
  [[started, 'data: {"type":"message_delta"}\n\n'], false],
  [[event({ type: 'response.created', response: {} })], false],
  [[], false],
]

for (const [texts, ended] of ENDS) {
  test(`${JSON.stringify(texts).slice(-70)} has ${ended ? '' : 'not '}ended`, () => {
    assert.equal(reader(...texts).hasEnded, ended)
  })
}

const USAGES: readonly (readonly [title: string, text: string, usage: unknown])[] = [
  [
    'a chat completion',
    chat({ content: 'a' }, { usage: null }) + chat({}, { usage: { prompt_tokens: 4, completion_tokens: 5 } }),
    { prompt: 4, completion: 5, total: 9 },
  ],
  [
    'a chat completion with usage in each chunk',
    chat({}, { usage: { completion_tokens: 1 } }) + chat({}, { usage: { prompt_tokens: 4, completion_tokens: 5 } }),
    { prompt: 4, completion: 5, total: 9 },
  ],
  [
    'an Anthropic message',
    started + event({ type: 'message_delta', delta: {}, usage: { output_tokens: 7, cache_read_input_tokens: 100 } }),
    { prompt: 103, completion: 7, total: 110, cached: 100 },
  ],
  [
    'an OpenAI response',
    event({ type: 'response.completed', response: { usage: { input_tokens: 1, output_tokens: 2 } } }),
    { prompt: 1, completion: 2, total: 3 },
  ],
  ['a chat completion without usage', chat({ content: 'a' }), undefined],
]

for (const [title, text, usage] of USAGES) {
  test(`stream reader: usage of ${title}`, () => {
    const outcome = reader(text).finish()
    assert.ok(outcome.kind === 'message')
    assert.deepEqual(outcome.usage, usage)
  })
}

test('stream reader: broken UTF-8 within a text becomes U+FFFD, in any chunks', () => {
  const bytes = Buffer.concat([Buffer.from(chat({ content: 'a?b' }))])
  bytes[bytes.indexOf('?')] = 0xff
  for (const size of [1, 5, 1_000]) {
    const outcome = readStream(chunksOf(bytes, size))
    assert.ok(outcome.kind === 'message')
    assert.equal(JSON.parse(outcome.json.toString()).choices[0].message.content, 'a\ufffdb')
  }
})

test('stream reader: a surrogate pair whose halves come in two events is one character', () => {
  const half = (content: string) =>
    `data: {"object":"chat.completion.chunk","choices":[{"delta":{"content":"${content}"}}]}\n\n`
  const outcome = reader(half('\\ud83d'), half('\\ude00')).finish()
  assert.ok(outcome.kind === 'message')
  assert.equal(JSON.parse(outcome.json.toString()).choices[0].message.content, '😀')
})

test('stream reader: many chunks with small deltas and large repeated members become a message', () => {
  const made = reader()
  const chunk = Buffer.from(chat({ content: 'é"' }, { padding: 'x'.repeat(300) }).repeat(100))
  for (let i = 0; i < 400; i++) made.add(chunk)
  assert.ok(made.heldBytes < 1_000_000, `${made.heldBytes}`)
  const outcome = made.finish()
  assert.ok(outcome.kind === 'message')
  assert.equal(JSON.parse(outcome.json.toString()).choices[0].message.content, 'é"'.repeat(40_000))
})

test('stream reader: replaced values free their memory', () => {
  const made = reader()
  const response = event({ type: 'response.in_progress', response: { id: 'r', instructions: 'x'.repeat(100_000) } })
  made.add(Buffer.from(response))
  const held = made.heldBytes
  for (let i = 0; i < 300; i++) made.add(Buffer.from(response))
  assert.equal(made.heldBytes, held)
  assert.equal(made.finish().kind, 'message')
})

test('stream reader: add reports that the turn budget is spent until the next turn', async () => {
  const turn = new TurnBudget()
  const hostile = new StreamReader(turn, createJsonEngine())
  const other = new StreamReader(turn, createJsonEngine())
  const chunk = Buffer.from(chat({ content: 'a' }).repeat(500))
  let chunks = 0
  while (!hostile.add(chunk)) chunks += 1
  assert.ok(chunks < 10_000)
  assert.equal(other.add(Buffer.from('\n')), true)
  while (other.add(Buffer.from('\n'))) await new Promise((resolve) => setImmediate(resolve))
})
