import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertShortTurns } from '@llm-gateway/test/fake/short-turns'
import { completionChunk } from './completion-chunk.ts'

// Rules: docs/reference/http.md#streaming

const bytesOf = (answer: unknown) => Buffer.from(JSON.stringify(answer))
const chunkOf = (answer: unknown): unknown => JSON.parse(completionChunk(bytesOf(answer)).toString())

test('a completion becomes one chunk that has all of it', () => {
  const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }
  const completion = {
    id: 'x',
    object: 'chat.completion',
    choices: [
      { index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'a' } },
      { index: 1, finish_reason: 'tool_calls', message: { role: 'assistant', content: null, tool_calls: [call] } },
    ],
    usage: { total_tokens: 3 },
    regex: { match: true },
  }
  assert.deepEqual(chunkOf(completion), {
    id: 'x',
    object: 'chat.completion.chunk',
    choices: [
      { index: 0, finish_reason: 'stop', delta: { role: 'assistant', content: 'a' } },
      {
        index: 1,
        finish_reason: 'tool_calls',
        delta: { role: 'assistant', content: null, tool_calls: [{ index: 0, ...call }] },
      },
    ],
    usage: { total_tokens: 3 },
    regex: { match: true },
  })
})

for (const other of [null, 1, 'text', [], {}, { object: 'chat.completion' }, { object: 'response', choices: [] }]) {
  test(`${JSON.stringify(other)} is no completion and stays as it is`, () => {
    const bytes = bytesOf(other)
    assert.equal(completionChunk(bytes), bytes)
  })
}

test('choices without a message stay as they are', () => {
  const odd = { object: 'chat.completion', choices: [null, { index: 0 }, { message: 'text' }] }
  assert.deepEqual(chunkOf(odd), { ...odd, object: 'chat.completion.chunk' })
})

for (const [title, content] of [
  ['too large', 'x'.repeat(4 * 1024 * 1024)],
  ['made of too many values', Array.from({ length: 60_000 }, () => 1)],
  ['made of too many long strings', Array.from({ length: 10_001 }, () => 'x'.repeat(129))],
  ['nested too deep', JSON.parse(`${'['.repeat(600)}${']'.repeat(600)}`)],
] as const) {
  test(`a completion that is ${title} stays as it is`, () => {
    const bytes = bytesOf({ object: 'chat.completion', choices: [{ message: { content } }] })
    assert.equal(completionChunk(bytes), bytes)
  })
}

test('an answer of several lines leaves as one line', () => {
  assert.equal(completionChunk(Buffer.from('{\r\n"a":\n"b\\n"}')).toString(), '{  "a": "b\\n"}')
})

/** A completion whose content and tool call are these JSON strings, and its chunk. */
const completionOf = (text: string) =>
  `{"object":"chat.completion","choices":[{"index":0,"message":{"content":"${text}","tool_calls":[{"${text}":"${text}"}]}}],"é":1}`
const chunkTextOf = (text: string) =>
  `{"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"${text}","tool_calls":[{"index":0,"${text}":"${text}"}]}}],"é":1}`

for (const unit of ['a', 'я', '\\ud800', '\\u0434', '\\"', '\\\\', '$&', '}']) {
  test(`long strings of ${unit} stay as they were written, since encoding them again would take too long`, () => {
    for (const length of [60, 128, 129, 200, 5_000]) {
      const text = unit.repeat(length)
      if (text.length <= 128) continue
      assert.equal(completionChunk(Buffer.from(completionOf(text))).toString(), chunkTextOf(text))
    }
  })
}

test('strings around the length from which they stay as they were written keep their text', () => {
  for (let length = 120; length < 140; length += 1) {
    const text = 'x'.repeat(length)
    assert.equal(completionChunk(Buffer.from(completionOf(text))).toString(), chunkTextOf(text))
  }
})

for (const unit of ['\\ud800', 'я\\ud800', '\\"', 'a']) {
  test(`a completion of 4 MiB of ${unit} is converted in bounded time`, async () => {
    const text = unit.repeat((4 * 1024 * 1024 - 200) / Buffer.byteLength(unit))
    const bytes = Buffer.from(`{"object":"chat.completion","choices":[{"message":{"content":"${text}"}}]}`)
    await assertShortTurns(100, () => {
      const before = process.threadCpuUsage()
      const chunk = completionChunk(bytes)
      const { user, system } = process.threadCpuUsage(before)
      assert.ok(chunk.includes('"delta"'))
      return (user + system) / 1000
    })
  })
}
