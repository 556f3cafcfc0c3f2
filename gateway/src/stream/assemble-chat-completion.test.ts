import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assembled, chunksOf, readStream } from './assembled-under-test.ts'

// Rules: docs/reference/record.md#streams

const HEAD = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1763690400, model: 'gpt-4o' }

const stream = (...chunks: readonly unknown[]) =>
  `${chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')}data: [DONE]\n\n`
const chunk = (choice: object, rest: object = {}) => ({ ...HEAD, ...rest, choices: [{ index: 0, ...choice }] })
const delta = (fields: object, rest: object = {}) => chunk({ delta: fields, finish_reason: null }, rest)
const stop = (reason = 'stop') => chunk({ delta: {}, finish_reason: reason })
const completion = (message: object, choice: object = {}, rest: object = {}) => ({
  ...HEAD,
  object: 'chat.completion',
  ...rest,
  choices: [
    {
      index: 0,
      finish_reason: 'stop',
      logprobs: null,
      message: { role: 'assistant', content: null, refusal: null, ...message },
      ...choice,
    },
  ],
})
const call = (index: number, name: string, args: string) => ({
  index,
  id: `call_${index}`,
  type: 'function',
  function: { name, arguments: args },
})
const args = (index: number, piece: string) => ({ index, function: { arguments: piece } })
const role = delta({ role: 'assistant', content: '', refusal: null })

const CASES: readonly (readonly [title: string, text: string, message: unknown])[] = [
  [
    'contents are joined',
    stream(role, delta({ content: 'Hel' }), delta({ content: 'lo' }), stop()),
    completion({ content: 'Hello' }),
  ],
  [
    'usage comes from the last chunk with a usage that is not null',
    stream(
      delta({ role: 'assistant', content: 'Hi' }, { usage: null }),
      { ...HEAD, choices: [], usage: { total_tokens: 9 } },
      { ...HEAD, choices: [], usage: null },
    ),
    completion({ content: 'Hi' }, { finish_reason: null }, { usage: { total_tokens: 9 } }),
  ],
  [
    'system_fingerprint and service_tier are kept, obfuscation is dropped',
    stream(
      delta({ role: 'assistant' }, { system_fingerprint: 'fp', service_tier: 'default', obfuscation: 'xxxx' }),
      stop(),
    ),
    completion({}, {}, { system_fingerprint: 'fp', service_tier: 'default' }),
  ],
  [
    'a refusal is joined',
    stream(role, delta({ refusal: 'I ' }), delta({ refusal: 'can’t' }), stop()),
    completion({ content: '', refusal: 'I can’t' }),
  ],
  [
    'reasoning is joined under the member name that the server uses',
    stream(
      role,
      delta({ reasoning_content: 'a' }),
      delta({ reasoning_content: 'b', content: null }),
      delta({ reasoning: 'c' }),
      delta({ reasoning: 'd' }),
      stop(),
    ),
    completion({ content: '', reasoning_content: 'ab', reasoning: 'cd' }),
  ],
  [
    'lists of several deltas are joined (parts of content, annotations)',
    stream(delta({ role: 'assistant', content: [{ text: 'a' }] }), delta({ content: [{ text: 'b' }] }), stop()),
    completion({ content: [{ text: 'a' }, { text: 'b' }] }),
  ],
  [
    'texts between lists of parts become text parts, one for each run of texts',
    stream(
      delta({ role: 'assistant', content: 'Hel' }),
      delta({ content: 'lo "' }),
      delta({ content: [{ text: 'a' }, { text: 'b' }] }),
      delta({ content: [{ text: 'c' }] }),
      delta({ content: 'd\n' }),
      delta({ content: '' }),
      delta({ content: 'é' }),
      delta({ content: [{ text: 'f' }] }),
      delta({ content: 'g' }),
      stop(),
    ),
    completion({
      content: [
        { type: 'text', text: 'Hello "' },
        { text: 'a' },
        { text: 'b' },
        { text: 'c' },
        { type: 'text', text: 'd\né' },
        { text: 'f' },
        { type: 'text', text: 'g' },
      ],
    }),
  ],
  [
    'reasoning in parts precedes the text',
    stream(
      role,
      delta({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm' }] }] }),
      delta({ content: null }),
      delta({ content: 'Hel' }),
      delta({ content: 'lo' }),
      stop(),
    ),
    completion({
      content: [
        { type: 'thinking', thinking: [{ type: 'text', text: 'Hm' }] },
        { type: 'text', text: 'Hello' },
      ],
    }),
  ],
  [
    'an empty list or an empty text adds no part',
    stream(
      delta({ role: 'assistant', content: [], reasoning: '', refusal: 'a' }),
      delta({ content: 'b', reasoning: [{ text: 'c' }], refusal: [] }),
      delta({ content: [], reasoning: '', refusal: 'd' }),
      stop(),
    ),
    completion({ content: 'b', reasoning: [{ text: 'c' }], refusal: 'ad' }),
  ],
  [
    'an object as content is a part',
    stream(
      delta({ role: 'assistant', content: { text: 'a' } }),
      delta({ content: 'b' }),
      delta({ content: { text: 'c' } }),
      stop(),
    ),
    completion({ content: [{ text: 'a' }, { type: 'text', text: 'b' }, { text: 'c' }] }),
  ],
  [
    'tool calls are merged by index, in the order of the indexes',
    stream(
      delta({ role: 'assistant', content: null, tool_calls: [call(1, 'b', '')] }),
      delta({ tool_calls: [call(0, 'a', '{"x"'), args(1, '{}')] }),
      delta({ tool_calls: [args(0, ':1}')] }),
      stop('tool_calls'),
    ),
    completion(
      {
        tool_calls: [
          { id: 'call_0', type: 'function', function: { name: 'a', arguments: '{"x":1}' } },
          { id: 'call_1', type: 'function', function: { name: 'b', arguments: '{}' } },
        ],
      },
      { finish_reason: 'tool_calls' },
    ),
  ],
  [
    'without an index, a new id begins a new tool call',
    stream(
      delta({ role: 'assistant', tool_calls: [{ id: 'a', function: { name: 'f', arguments: '{' } }] }),
      delta({ tool_calls: [{ function: { arguments: '}' } }] }),
      delta({ tool_calls: [{ id: 'b', function: { name: 'g', arguments: '{}' } }] }),
      stop(),
    ),
    completion({
      tool_calls: [
        { id: 'a', function: { name: 'f', arguments: '{}' } },
        { id: 'b', function: { name: 'g', arguments: '{}' } },
      ],
    }),
  ],
  [
    'the input of a custom tool is joined',
    stream(
      delta({
        role: 'assistant',
        tool_calls: [{ index: 0, id: 'c', type: 'custom', custom: { name: 'sh', input: 'l' } }],
      }),
      delta({ tool_calls: [{ index: 0, custom: { input: 's' } }] }),
      stop(),
    ),
    completion({ tool_calls: [{ id: 'c', type: 'custom', custom: { name: 'sh', input: 'ls' } }] }),
  ],
  [
    'the old function_call is joined',
    stream(
      delta({ role: 'assistant', function_call: { name: 'f', arguments: '' } }),
      delta({ function_call: { arguments: '{}' } }),
      stop(),
    ),
    completion({ function_call: { name: 'f', arguments: '{}' } }),
  ],
  [
    'nested fields that are null change nothing',
    stream(delta({ role: 'assistant', tool_calls: null, function_call: null, audio: null }), stop()),
    completion({}),
  ],
  [
    'audio is joined',
    stream(
      delta({ role: 'assistant', audio: { id: 'a', data: 'AA', transcript: 'x' } }),
      delta({ audio: { data: 'BB', transcript: 'y' } }),
      delta({ audio: { expires_at: 7 } }),
      stop(),
    ),
    completion({ audio: { id: 'a', data: 'AABB', transcript: 'xy', expires_at: 7 } }),
  ],
  [
    'log probabilities are appended in order',
    stream(
      delta({ role: 'assistant' }),
      chunk({ delta: { content: 'a' }, logprobs: { content: [{ token: 'a' }], refusal: null } }),
      chunk({ delta: { content: 'b' }, logprobs: { content: [{ token: 'b' }], refusal: null } }),
      stop(),
    ),
    completion({ content: 'ab' }, { logprobs: { content: [{ token: 'a' }, { token: 'b' }], refusal: null } }),
  ],
  [
    'several choices are kept apart and sorted',
    stream(
      {
        ...HEAD,
        choices: [
          { index: 1, delta: { content: 'b' } },
          { index: 0, delta: { content: 'a' } },
        ],
      },
      { ...HEAD, choices: [{ index: 1, delta: { content: 'B' }, finish_reason: 'length' }] },
    ),
    {
      ...HEAD,
      object: 'chat.completion',
      choices: [
        { index: 0, finish_reason: null, logprobs: null, message: { content: 'a', refusal: null } },
        { index: 1, finish_reason: 'length', logprobs: null, message: { content: 'bB', refusal: null } },
      ],
    },
  ],
  [
    'Azure begins with the filter of the prompt and without id or object',
    stream(
      { choices: [], created: 0, id: '', model: '', object: '', prompt_filter_results: [{ prompt_index: 0 }] },
      role,
      chunk({ delta: { content: 'Hi' }, content_filter_results: { hate: { filtered: false } } }),
      stop(),
    ),
    completion(
      { content: 'Hi' },
      { content_filter_results: { hate: { filtered: false } } },
      { prompt_filter_results: [{ prompt_index: 0 }] },
    ),
  ],
  [
    'Azure ends with annotations without a delta',
    stream(role, stop(), {
      ...HEAD,
      id: '',
      created: 0,
      model: '',
      choices: [{ index: 0, finish_reason: null, content_filter_offsets: { start_offset: 5 } }],
    }),
    completion({ content: '' }, { content_filter_offsets: { start_offset: 5 } }),
  ],
  [
    'a broken-off stream gives the completion as far as it arrived',
    `${stream(role, delta({ content: 'Hel' })).replace('data: [DONE]\n\n', '')}data: {"id":"chatcmpl-1","choices":[{"ind`,
    completion({ content: 'Hel' }, { finish_reason: null }),
  ],
  [
    'an error in the middle is kept',
    stream(role, delta({ content: 'Hel' }), { error: { message: 'overloaded' } }),
    completion({ content: 'Hel' }, { finish_reason: null }, { error: { message: 'overloaded' } }),
  ],
  [
    'pings and comments of proxies are ignored',
    `: OPENROUTER PROCESSING\n\ndata: ping\n\n${stream(role, stop())}`,
    completion({ content: '' }),
  ],
  [
    'a stream without the member object is recognized by its deltas',
    stream({ id: 'x', choices: [{ index: 0, delta: { content: 'a' } }] }),
    {
      id: 'x',
      object: 'chat.completion',
      choices: [{ index: 0, finish_reason: null, logprobs: null, message: { content: 'a', refusal: null } }],
    },
  ],
  [
    'a text completion is not a chat completion',
    stream({ id: 'cmpl-1', object: 'text_completion', choices: [{ index: 0, text: 'Hi' }] }),
    undefined,
  ],
  ['[DONE] alone is not a chat completion', 'data: [DONE]\n\n', undefined],
]

for (const [title, text, message] of CASES) {
  test(`chat completion: ${title}`, () => assert.deepEqual(assembled(text), message))
}

test('chat completion: indexes of a billion take one entry each', () => {
  const message = assembled(
    stream(
      {
        ...HEAD,
        choices: [{ index: 1e9, delta: { tool_calls: [call(1e9, 'f', '{}'), args(-1, '{}'), args(0.5, '{}')] } }],
      },
      { ...HEAD, choices: [{ index: -7, delta: { content: 'a' } }] },
    ),
  )
  const text = JSON.stringify(message)
  assert.ok(text.length < 1_000)
  assert.match(text, /"index":-7.*"index":1000000000/)
})

test('chat completion: names such as __proto__ are ordinary keys', () => {
  const evil = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}'
  const text = `data: {"object":"chat.completion.chunk","__proto__":{"polluted":1},"choices":[{"index":0,"__proto__":${evil},"logprobs":${evil},"delta":{"__proto__":${evil},"tool_calls":[{"index":0,"__proto__":${evil},"function":${evil}}]}}]}\n\n`
  const message = assembled(text + text)
  assert.equal(Reflect.get({}, 'polluted'), undefined)
  assert.equal(Reflect.get(Object(message), 'polluted'), undefined)
  assert.deepEqual(Object.keys(JSON.parse(JSON.stringify(message))), ['__proto__', 'object', 'choices'])
  assert.equal(JSON.stringify(message).split('"__proto__"').length - 1, 9)
})

test('chat completion: the time is linear to the number of chunks', () => {
  const text = stream(...Array.from({ length: 100_000 }, () => delta({ content: 'ab', tool_calls: [args(0, 'cd')] })))
  const begin = performance.now()
  const outcome = readStream(chunksOf(Buffer.from(text), 65_536))
  assert.ok(outcome.kind === 'message')
  assert.match(outcome.json.toString(), /"content":"(ab){100000}"/)
  assert.ok(performance.now() - begin < 60_000)
})
