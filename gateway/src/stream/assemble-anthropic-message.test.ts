import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assembled, chunksOf, readStream } from './assembled-under-test.ts'

// Rules: docs/reference/record.md#streams

type Event = { readonly type: string; readonly [field: string]: unknown }

const stream = (...events: readonly Event[]) =>
  events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')

const HEAD = { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude', stop_sequence: null }
const start = {
  type: 'message_start',
  message: { ...HEAD, content: [], stop_reason: null, usage: { input_tokens: 4, output_tokens: 1 } },
}
const block = (index: number, content_block: object) => ({ type: 'content_block_start', index, content_block })
const delta = (index: number, fields: object) => ({ type: 'content_block_delta', index, delta: fields })
const text = (index: number, piece: string) => delta(index, { type: 'text_delta', text: piece })
const json = (index: number, piece: string) => delta(index, { type: 'input_json_delta', partial_json: piece })
const blockStop = (index: number) => ({ type: 'content_block_stop', index })
const end = {
  type: 'message_delta',
  delta: { stop_reason: 'end_turn', stop_sequence: null },
  usage: { output_tokens: 5 },
}
const stop = { type: 'message_stop' }
const ping = { type: 'ping' }

const message = (content: readonly unknown[], rest: object = {}) => ({
  ...HEAD,
  content,
  stop_reason: 'end_turn',
  usage: { input_tokens: 4, output_tokens: 5 },
  ...rest,
})
const unfinished = { stop_reason: null, usage: { input_tokens: 4, output_tokens: 1 } }
const tool = { type: 'tool_use', id: 'toolu_1', name: 'f', input: {} }

const CASES: readonly (readonly [title: string, text: string, message: unknown])[] = [
  [
    'texts are joined, pings ignored, usage merged',
    stream(
      start,
      ping,
      block(0, { type: 'text', text: '' }),
      text(0, 'Hel'),
      ping,
      text(0, 'lo'),
      blockStop(0),
      end,
      stop,
    ),
    message([{ type: 'text', text: 'Hello' }]),
  ],
  [
    'inputs of tools that arrive by turns are whole',
    stream(
      start,
      block(0, tool),
      block(1, tool),
      json(0, '{"a":'),
      json(1, '{"b":'),
      json(0, '1}'),
      json(1, '2}'),
      blockStop(0),
      blockStop(1),
      end,
      stop,
    ),
    message([
      { ...tool, input: { a: 1 } },
      { ...tool, input: { b: 2 } },
    ]),
  ],
  [
    'inputs without an announced end are parsed',
    stream(start, block(0, tool), json(0, '{"a":1}'), block(1, tool), json(1, '{"b":2}'), end, stop),
    message([
      { ...tool, input: { a: 1 } },
      { ...tool, input: { b: 2 } },
    ]),
  ],
  [
    'the input of a tool is parsed',
    stream(start, block(0, tool), json(0, ''), json(0, '{"a": [1'), json(0, ',2]}'), blockStop(0), end, stop),
    message([{ ...tool, input: { a: [1, 2] } }]),
  ],
  ['a tool without input gets an empty input', stream(start, block(0, tool), json(0, ''), end, stop), message([tool])],
  [
    'an input that was cut off is kept as text',
    stream(start, block(0, tool), json(0, '{"a": [1')),
    message([{ ...tool, input: '{"a": [1' }], unfinished),
  ],
  [
    'an input nested too deep to be written again is kept as text',
    stream(start, block(0, tool), json(0, '['.repeat(600)), json(0, ']'.repeat(600)), end, stop),
    message([{ ...tool, input: '['.repeat(600) + ']'.repeat(600) }]),
  ],
  [
    'an input of null is null',
    stream(start, block(0, tool), json(0, 'null'), end, stop),
    message([{ ...tool, input: null }]),
  ],
  [
    'thinking is joined and signed',
    stream(
      start,
      block(0, { type: 'thinking', thinking: '', signature: '' }),
      delta(0, { type: 'thinking_delta', thinking: 'a' }),
      delta(0, { type: 'thinking_delta', thinking: 'b' }),
      delta(0, { type: 'signature_delta', signature: 'sig' }),
      block(1, { type: 'redacted_thinking', data: 'xyz' }),
      end,
      stop,
    ),
    message([
      { type: 'thinking', thinking: 'ab', signature: 'sig' },
      { type: 'redacted_thinking', data: 'xyz' },
    ]),
  ],
  [
    'citations are collected',
    stream(
      start,
      block(0, { type: 'text', text: '', citations: [] }),
      delta(0, { type: 'citations_delta', citation: { cited_text: 'x' } }),
      text(0, 'a'),
      delta(0, { type: 'citations_delta', citation: { cited_text: 'y' } }),
      end,
      stop,
    ),
    message([{ type: 'text', text: 'a', citations: [{ cited_text: 'x' }, { cited_text: 'y' }] }]),
  ],
  [
    'counters that are missing or null in the last usage keep their values',
    stream(
      {
        type: 'message_start',
        message: { ...HEAD, content: [], usage: { input_tokens: 4, cache_read_input_tokens: 7, output_tokens: 1 } },
      },
      { ...end, usage: { input_tokens: 10, cache_read_input_tokens: null, output_tokens: 5, server_tool_use: null } },
      stop,
    ),
    message([], { usage: { input_tokens: 10, cache_read_input_tokens: 7, output_tokens: 5, server_tool_use: null } }),
  ],
  [
    'a broken-off stream gives the message as far as it arrived',
    `${stream(start, block(0, { type: 'text', text: '' }), text(0, 'Hel'))}event: content_block_delta\ndata: {"type":"cont`,
    message([{ type: 'text', text: 'Hel' }], unfinished),
  ],
  [
    'an error in the middle is kept',
    stream(start, { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }),
    message([], { ...unfinished, error: { type: 'overloaded_error', message: 'Overloaded' } }),
  ],
  ['deltas of a block that never began are ignored', stream(start, text(3, 'x'), end, stop), message([])],
  [
    'deltas of an unknown type are ignored',
    stream(start, block(0, { type: 'text', text: 'a' }), delta(0, { type: 'new_delta', text: 'x' }), end, stop),
    message([{ type: 'text', text: 'a' }]),
  ],
  [
    'a block with the index 1e9 takes one entry',
    stream(start, block(1e9, { type: 'text', text: 'a' }), end, stop),
    message([{ type: 'text', text: 'a' }]),
  ],
]

for (const [title, events, expected] of CASES) {
  test(`Anthropic message: ${title}`, () => assert.deepEqual(assembled(events), expected))
}

test('a message reads 4 MiB of tool inputs, and further ones stay texts', () => {
  const long = `["${'x'.repeat(1_000_000)}"]`
  const indexes = [0, 1, 2, 3, 4]
  const inputs = indexes.flatMap((index) => [block(index, tool), json(index, long)])
  const small = [block(5, tool), json(5, '{"a":1}')]
  for (const stops of [indexes.map(blockStop), []]) {
    const outcome = readStream([Buffer.from(stream(start, ...inputs, ...stops, ...small, end, stop))])
    assert.ok(outcome.kind === 'message')
    const { content } = JSON.parse(outcome.json.toString())
    assert.deepEqual(
      content.map((each: { readonly input: unknown }) => typeof each.input),
      ['object', 'object', 'object', 'object', 'string', 'string'],
    )
  }
})

test('an event of more than 1 MiB leaves room for fewer tool inputs', () => {
  const inputs = [0, 1].flatMap((index) => [block(index, tool), json(index, `["${'x'.repeat(1_000_000)}"]`)])
  for (const [large, expected] of [
    [`{"type":"ping","text":"${'x'.repeat(900_000)}"}`, ['object', 'object']],
    [`{"type":"ping","text":"${'x'.repeat(3_000_000)}"}`, ['object', 'string']],
    [`{"type":"ping","text":"${'x'.repeat(3_000_000)}"`, ['object', 'string']],
    [`"${'x'.repeat(3_000_000)}"`, ['object', 'object']],
  ] as const) {
    for (const rest of [stream(blockStop(0), blockStop(1), end, stop), '']) {
      const bytes = Buffer.from(`${stream(start, ...inputs)}data: ${large}\n\n${rest}`)
      for (const size of [bytes.length, 65_536]) {
        const outcome = readStream(chunksOf(bytes, size))
        assert.ok(outcome.kind === 'message')
        const { content } = JSON.parse(outcome.json.toString())
        assert.deepEqual(
          content.map((each: { readonly input: unknown }) => typeof each.input),
          expected,
        )
      }
    }
  }
})
