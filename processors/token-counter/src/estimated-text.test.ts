import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ANSWERS_UNDER_TEST, REQUESTS_UNDER_TEST } from '@llm-gateway/protocol/dialects-under-test'
import { answerText, promptText } from './estimated-text.ts'

// Rules: docs/reference/processors.md#token-counter

const nested = (depth: number) => JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`)

const ANSWERS: readonly (readonly [unknown, string | undefined])[] = [
  [null, undefined],
  [undefined, undefined],
  [{ base64: '/+MYxAA=' }, undefined],
  ['data: {"choices":[{"delta":{"content":"Hi"}}]}\n\ndata: [DONE]\n\n', 'Hi'],
  ['plain', 'plain'],
  [{ id: 'x', choices: [{ message: { role: 'assistant', content: 'Hi' } }] }, 'Hi'],
  [{ choices: [{ text: 'a' }, { text: 'b' }] }, 'a\nb'],
  [
    { choices: [{ message: { content: null, tool_calls: [{ function: { name: 'f', arguments: '{"a":1}' } }] } }] },
    '{"a":1}',
  ],
  [
    {
      type: 'message',
      content: [
        { type: 'thinking', thinking: 'hm' },
        { type: 'text', text: 'Hi' },
      ],
    },
    'hm\nHi',
  ],
  [{ output: [{ type: 'message', content: [{ type: 'output_text', text: 'Hi' }] }] }, 'Hi'],
  [{ candidates: [{ content: { parts: [{ text: 'Hi' }], role: 'model' } }] }, 'Hi'],
  [{ message: { role: 'assistant', content: 'Hi' }, done: true }, 'Hi'],
  [{ embedding: [1, 2] }, '{"embedding":[1,2]}'],
  [7, '7'],
]

test('an answer’s estimate uses the model’s texts, else the whole answer', () => {
  for (const [payload, text] of ANSWERS) assert.equal(answerText(payload), text)
})

for (const { dialect, payload, texts } of ANSWERS_UNDER_TEST) {
  if (texts.length > 0)
    test(`the estimated text of ${dialect}`, () => assert.equal(answerText(payload), texts.join('\n')))
}

const CHAT = { model: 'gpt-4o', messages: [{ role: 'user', content: 'Hi' }], stream: true }
const PROMPTS: readonly (readonly [title: string, request: unknown, text: string | undefined])[] = [
  ['a streamed chat that doesn’t ask for usage', CHAT, 'Hi'],
  ['a streamed chat that declines usage', { ...CHAT, stream_options: { include_usage: false } }, 'Hi'],
  ['a streamed text completion', { model: 'm', prompt: 'Hi', stream: true }, 'Hi'],
  ['a streamed chat that asks for usage', { ...CHAT, stream_options: { include_usage: true } }, undefined],
  ['a chat that isn’t streamed', { ...CHAT, stream: false }, undefined],
  ['a streamed response with usage', { model: 'gpt-5', input: 'Hi', stream: true }, undefined],
  ['a streamed Anthropic message with usage', { ...CHAT, model: 'claude-sonnet-4-5', max_tokens: 9 }, undefined],
  ['an Anthropic message with a system prompt', { ...CHAT, system: 'Be brief.' }, undefined],
  ['a streamed Ollama chat with usage', { ...CHAT, options: { num_ctx: 1 } }, undefined],
  ['a text', 'stream', undefined],
  ['wrong types', { messages: 7, prompt: null, model: [], stream: true, stream_options: 7 }, ''],
]
for (const [title, request, text] of PROMPTS) {
  test(`the prompt to estimate of ${title}`, () => assert.equal(promptText(request), text))
}

test('requests that aren’t streamed are not estimated', () => {
  for (const { dialect, payload } of REQUESTS_UNDER_TEST) assert.equal(promptText(payload), undefined, dialect)
})

test('an answer nested 100,000 deep has no text and causes no error', () => {
  assert.equal(answerText({ deep: nested(100_000) }), undefined)
})
