import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { assembled } from './assembled-under-test.ts'

// Rules: docs/reference/record.md#streams

const NONE: readonly (readonly [title: string, text: string])[] = [
  ['an empty text', ''],
  ['a text that is not an event stream', '{"choices":[{"delta":{"content":"a"}}]}'],
  ['events in words', 'data: hello\n\n'],
  ['events of another kind', 'event: tick\ndata: {"n":1}\n\n'],
  ['numbers, texts and lists', 'data: 1\n\ndata: "choices"\n\ndata: [{"choices":[]}]\n\ndata: null\n\n'],
  [
    'an Anthropic error before the message began',
    'event: error\ndata: {"type":"error","error":{"type":"overloaded_error"}}\n\n',
  ],
  ['a response event without a response', 'data: {"type":"response.created"}\n\n'],
  [
    'JSON nested too deep to be written again',
    `data: {"object":"chat.completion.chunk","choices":[{"delta":{}}],"x":${'['.repeat(10_000)}${']'.repeat(10_000)}}\n\n`,
  ],
]

for (const [title, text] of NONE) {
  test(`no message is assembled from ${title}`, () => assert.equal(assembled(text), undefined))
}

test('assembled message: brackets within texts are not nesting', () => {
  const content = `"\\"${'[{'.repeat(5_000)}"`
  const text = `data: {"object":"chat.completion.chunk","choices":[{"delta":{"content":${content}}}]}\n\n`
  assert.match(JSON.stringify(assembled(text)), /\[\{\[\{/)
})

test('assembled message: any events give a serializable message or none, and never throw', () => {
  const index = fc.constantFrom<unknown>(0, 1, -1, 1e9, 0.5, '0', null, undefined)
  const fields = fc.dictionary(
    fc.constantFrom(
      'content',
      'role',
      'tool_calls',
      'function_call',
      'function',
      'arguments',
      'audio',
      'text',
      'type',
      '__proto__',
    ),
    fc.jsonValue(),
  )
  const type = fc.constantFrom(
    'message_start',
    'content_block_start',
    'content_block_delta',
    'message_delta',
    'error',
    'text_delta',
    'input_json_delta',
    'response.created',
    'response.output_item.added',
    'response.content_part.added',
    'response.output_text.delta',
    'response.output_text.done',
    'response.output_text.annotation.added',
    'response.completed',
    undefined,
  )
  const event = fc.record({
    type,
    index,
    output_index: index,
    content_index: index,
    object: fc.constantFrom('chat.completion.chunk', undefined),
    choices: fc.oneof(
      fc.jsonValue(),
      fc.array(fc.record({ index, delta: fc.oneof(fields, fc.jsonValue()), logprobs: fc.jsonValue() }), {
        maxLength: 3,
      }),
    ),
    message: fc.oneof(fields, fc.jsonValue()),
    content_block: fields,
    delta: fc.oneof(fields, fc.string()),
    usage: fc.jsonValue(),
    response: fc.oneof(fields, fc.jsonValue()),
    item: fields,
    part: fields,
    annotation: fc.jsonValue(),
  })
  fc.assert(
    fc.property(fc.array(event, { maxLength: 8 }), (events) => {
      const message = assembled(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''))
      assert.equal(Reflect.get({}, 'polluted'), undefined)
      if (message !== undefined) assert.equal(typeof JSON.stringify(message), 'string')
    }),
    { numRuns: 200 },
  )
})

test('assembled message: a chunk cut anywhere gives a message or none', () => {
  const text =
    'data: {"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"a\\u00e9"}}]}\r\n\r\ndata: [DONE]\r\n\r\n'
  for (let end = 0; end <= text.length; end++) assembled(text.slice(0, end))
  assert.notEqual(assembled(text), undefined)
})
