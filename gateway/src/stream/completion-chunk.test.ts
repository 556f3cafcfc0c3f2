import assert from 'node:assert/strict'
import { test } from 'node:test'
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
