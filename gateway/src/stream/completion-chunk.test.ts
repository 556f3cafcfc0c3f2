import assert from 'node:assert/strict'
import { test } from 'node:test'
import { completionChunk } from './completion-chunk.ts'

test('wire 2: a completion becomes one chunk that has all of it', () => {
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
  assert.deepEqual(completionChunk(completion), {
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
  test(`wire 2: ${JSON.stringify(other)} is no completion and stays as it is`, () => {
    assert.equal(completionChunk(other), other)
  })
}

test('wire 2: choices without a message stay as they are', () => {
  const odd = { object: 'chat.completion', choices: [null, { index: 0 }, { message: 'text' }] }
  assert.deepEqual(completionChunk(odd), { ...odd, object: 'chat.completion.chunk' })
})
