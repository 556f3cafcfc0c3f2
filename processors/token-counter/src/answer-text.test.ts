import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answerText } from './answer-text.ts'

const nested = (depth: number) => JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`)

const ANSWERS: readonly (readonly [unknown, string])[] = [
  [null, ''],
  [undefined, ''],
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

test('wire 1.2: what an answer’s estimate is made from: what the model wrote, else the answer', () => {
  for (const [payload, text] of ANSWERS) assert.equal(answerText(payload), text)
})

test('an answer that nests 100,000 deep has no text and breaks nothing', () => {
  assert.equal(typeof answerText({ deep: nested(100_000) }), 'string')
})
