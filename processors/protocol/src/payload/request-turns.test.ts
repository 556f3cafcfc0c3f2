import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type RequestTurn, requestTurns } from './request-turns.ts'

const TURNS: readonly (readonly [string, unknown, readonly string[]])[] = [
  [
    'OpenAI chat',
    {
      messages: [
        { role: 'developer', content: 's' },
        { role: ' User ', content: 'u' },
        { role: 'assistant', content: 'a' },
        { role: 'tool', content: 't' },
      ],
    },
    ['messages other "s"', 'messages user "u"', 'messages model "a"', 'messages other "t"'],
  ],
  [
    'Gemini',
    { contents: [{ parts: [{ text: 'u' }] }, { role: 'model', parts: [] }], systemInstruction: 's' },
    ['systemInstruction other "s"', 'contents user [{"text":"u"}]', 'contents model []'],
  ],
  [
    'Cohere v1',
    { message: 'u', chat_history: [{ role: 'CHATBOT', message: 'a' }], documents: [{ snippet: 'd' }] },
    ['chat_history model "a"', 'chat_history user "u"', 'documents user [{"snippet":"d"}]'],
  ],
  [
    'OpenAI responses',
    {
      instructions: 's',
      input: [
        { role: 'user', content: 'u' },
        { type: 'function_call', arguments: '{}' },
        { type: 'reasoning', summary: [] },
        { type: 'function_call_output', output: 'o' },
        'text',
      ],
    },
    [
      'instructions other "s"',
      'input user "u"',
      'input model {"type":"function_call","arguments":"{}"}',
      'input model {"type":"reasoning","summary":[]}',
      'input other {"type":"function_call_output","output":"o"}',
      'input user "text"',
    ],
  ],
  ['embeddings', { input: ['a', 'b'] }, ['input user ["a","b"]']],
  ['a text as input', { input: 'u' }, ['input user "u"']],
  ['a text completion', { prompt: 'u', suffix: 'v' }, ['prompt user "u"', 'suffix user "v"']],
  ['every item of messages is a turn', { messages: [null, { role: 7 }] }, ['messages user none', 'messages user none']],
  ['messages that are not a list', { messages: { a: 'x' } }, ['messages user {"a":"x"}']],
  ['an empty conversation', { messages: [] }, []],
  ['names that every object inherits', JSON.parse('{"__proto__":{"prompt":"x"},"constructor":{"prompt":"x"}}'), []],
  ['no object', ['x'], []],
]

const asText = ({ conversation, role, content }: RequestTurn): string =>
  `${conversation} ${role} ${JSON.stringify(content) ?? 'none'}`

for (const [dialect, payload, turns] of TURNS) {
  test(`turns of a request: ${dialect}`, () => assert.deepEqual(requestTurns(payload).map(asText), turns))
}
