import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assembled } from './assembled-under-test.ts'

// Rules: docs/reference/record.md#streams

type Event = { readonly type: string; readonly [field: string]: unknown }

const stream = (...events: readonly Event[]) =>
  events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')

const HEAD = { id: 'resp_1', object: 'response', created_at: 1763690400, model: 'gpt-4o' }
const at = (type: string, fields: object) => ({ type: `response.${type}`, output_index: 0, item_id: 'i', ...fields })
const whole = (status: string, output: readonly unknown[] = []) => ({
  ...HEAD,
  status,
  error: null,
  output,
  usage: null,
})
const created = { type: 'response.created', response: whole('in_progress') }
const item = { type: 'message', id: 'i', status: 'in_progress', role: 'assistant', content: [] }
const part = { type: 'output_text', text: '', annotations: [] }
const added = at('output_item.added', { item })
const partAdded = at('content_part.added', { content_index: 0, part })
const text = (delta: string) => at('output_text.delta', { content_index: 0, delta })

const CASES: readonly (readonly [title: string, text: string, message: unknown])[] = [
  ...['completed', 'incomplete', 'failed'].map(
    (status) =>
      [
        `the last whole response is the message (${status})`,
        stream(created, added, partAdded, text('Hi'), {
          type: `response.${status}`,
          response: whole(status, [{ ...item, content: ['x'] }]),
        }),
        whole(status, [{ ...item, content: ['x'] }]),
      ] as const,
  ),
  [
    'nothing after the last whole response counts',
    stream(
      { type: 'response.completed', response: whole('completed') },
      { type: 'response.in_progress', response: whole('in_progress') },
      added,
    ),
    whole('completed'),
  ],
  [
    'a broken-off stream gives its items as far as they arrived',
    `${stream(created, added, partAdded, text('Hel'), text('lo'))}event: response.output_text.delta\ndata: {"ty`,
    whole('in_progress', [{ ...item, content: [{ ...part, text: 'Hello' }] }]),
  ],
  [
    'the text of a done event replaces its pieces',
    stream(created, added, partAdded, text('Hel'), at('output_text.done', { content_index: 0, text: 'Hello!' })),
    whole('in_progress', [{ ...item, content: [{ ...part, text: 'Hello!' }] }]),
  ],
  [
    'the item of a done event replaces the earlier item',
    stream(
      created,
      added,
      partAdded,
      text('Hel'),
      at('output_item.done', { item: { ...item, status: 'completed', content: [{ ...part, text: 'Hello' }] } }),
    ),
    whole('in_progress', [{ ...item, status: 'completed', content: [{ ...part, text: 'Hello' }] }]),
  ],
  [
    'parts and items are in the order of their indexes',
    stream(
      created,
      at('output_item.added', { output_index: 1, item: { type: 'function_call', name: 'f', arguments: '' } }),
      at('function_call_arguments.delta', { output_index: 1, delta: '{"a"' }),
      at('function_call_arguments.delta', { output_index: 1, delta: ':1}' }),
      added,
      at('content_part.added', { content_index: 1, part: { type: 'refusal', refusal: '' } }),
      at('refusal.delta', { content_index: 1, delta: 'No' }),
      partAdded,
      at('output_text.annotation.added', {
        content_index: 0,
        annotation_index: 0,
        annotation: { type: 'url_citation' },
      }),
    ),
    whole('in_progress', [
      {
        ...item,
        content: [
          { ...part, annotations: [{ type: 'url_citation' }] },
          { type: 'refusal', refusal: 'No' },
        ],
      },
      { type: 'function_call', name: 'f', arguments: '{"a":1}' },
    ]),
  ],
  [
    'reasoning and its summary are joined',
    stream(
      created,
      at('output_item.added', { item: { type: 'reasoning', id: 'r', summary: [] } }),
      at('reasoning_summary_part.added', { summary_index: 0, part: { type: 'summary_text', text: '' } }),
      at('reasoning_summary_text.delta', { summary_index: 0, delta: 'a' }),
      at('reasoning_summary_text.delta', { summary_index: 0, delta: 'b' }),
      at('reasoning_text.delta', { content_index: 0, delta: 'c' }),
    ),
    whole('in_progress', [
      {
        type: 'reasoning',
        id: 'r',
        summary: [{ type: 'summary_text', text: 'ab' }],
        content: [{ type: 'reasoning_text', text: 'c' }],
      },
    ]),
  ],
  [
    'inputs and code of tools are joined',
    stream(
      created,
      at('output_item.added', { item: { type: 'custom_tool_call', input: '' } }),
      at('custom_tool_call_input.delta', { delta: 'x' }),
      at('output_item.added', { output_index: 1, item: { type: 'code_interpreter_call', code: null } }),
      at('code_interpreter_call_code.delta', { output_index: 1, delta: 'y' }),
      at('output_item.added', { output_index: 2, item: { type: 'mcp_call', arguments: '' } }),
      at('mcp_call_arguments.done', { output_index: 2, arguments: '{}' }),
      at('web_search_call.searching', { output_index: 2 }),
    ),
    whole('in_progress', [
      { type: 'custom_tool_call', input: 'x' },
      { type: 'code_interpreter_call', code: 'y' },
      { type: 'mcp_call', arguments: '{}' },
    ]),
  ],
  [
    'an error event is kept',
    stream(created, { type: 'error', code: 'server_error', message: 'oops', sequence_number: 3 }),
    { ...whole('in_progress'), error: { code: 'server_error', message: 'oops' } },
  ],
  [
    'a stream received from its middle on gives its items',
    stream(added, partAdded, text('lo')),
    { object: 'response', output: [{ ...item, content: [{ ...part, text: 'lo' }] }] },
  ],
  [
    'a last response without output gets the items as its output',
    stream(created, added, partAdded, text('Hi'), {
      type: 'response.completed',
      response: { ...HEAD, status: 'completed', output: null },
    }),
    { ...HEAD, status: 'completed', output: [{ ...item, content: [{ ...part, text: 'Hi' }] }] },
  ],
  [
    'an item with the index 1e9 takes one entry',
    stream(created, at('output_item.added', { output_index: 1e9, item })),
    whole('in_progress', [item]),
  ],
]

for (const [title, events, expected] of CASES) {
  test(`OpenAI response: ${title}`, () => assert.deepEqual(assembled(events), expected))
}
