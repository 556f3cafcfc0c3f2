import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ANSWERS_UNDER_TEST, REQUESTS_UNDER_TEST } from '@llm-gateway/protocol/dialects-under-test'
import { createCountTokens } from './count-tokens.ts'
import type { CountRequest } from './counting.ts'
import { tokenizerSettings } from './settings.ts'

// Rules: docs/reference/processors.md#tokenizer, docs/reference/processor-settings.md#tokenizer

const HELLO = {
  messages: [
    { role: 'system', content: 'abc' },
    { role: 'user', content: 'de' },
  ],
  max_tokens: 9,
}
const ANSWER = { choices: [{ message: { content: 'abcd' } }, { message: { content: 'e' } }], usage: {} }
const PARTS = {
  messages: [
    {
      content: [
        { type: 'text', text: 'ab' },
        { type: 'image_url', image_url: { url: 'data:' } },
        { type: 'text', text: 'c' },
      ],
    },
    { content: null, tool_calls: [] },
  ],
}

const MESSAGES: readonly (readonly [what: string, message: object, gpt2: number | undefined])[] = [
  ['the texts of a chat request are summed', { gl_path: '/a/', ingress_payload: HELLO }, 5],
  ['the texts of a chat answer are summed', { gl_path: '/a/', inbound_payload: ANSWER }, 5],
  ['content of several parts is the text of its parts', { ingress_payload: PARTS }, 3],
  ['texts that are empty have no tokens', { inbound_payload: { choices: [{ message: { content: '' } }] } }, 0],
  ['a payload without texts has no count', { ingress_payload: { Hello: 'World' } }, undefined],
  ['an empty payload has no count', { inbound_payload: {} }, undefined],
  ['a payload that is not an object has no count', { inbound_payload: 'text' }, undefined],
  [
    'content that is neither a string nor a list is not counted',
    { ingress_payload: { messages: [{ content: 7 }, { content: { a: 1 } }, null] } },
    undefined,
  ],
  ['an answer is not searched at the places of a request', { inbound_payload: HELLO }, undefined],
  ['a control answer has nothing to count', { gl_path: '/mock/a/' }, undefined],
  ['a message without fields has nothing to count', {}, undefined],
  ['a payload of null has no count', { inbound_payload: null }, undefined],
  ['a gl_path that is not a string is ignored', { gl_path: 7, ingress_payload: HELLO }, 5],
]

for (const [what, message, gpt2] of MESSAGES) {
  test(what, async () => {
    assert.deepEqual(await countOf(message), gpt2 === undefined ? undefined : { tokenizer: { gpt2 } })
  })
}

const ROUTERS = [
  {
    router: '/a/',
    request_paths: ['system[*].text', 'prompt'],
    response_paths: ['content[*].text'],
    encodings: ['gpt2', 'o200k_base'],
  },
  { router: '/b/', request_paths: [] },
]
const ANTHROPIC = { system: [{ text: 'ab' }], prompt: 'c', messages: [{ content: 'not counted' }] }
const BY_ROUTER: readonly (readonly [what: string, message: object, tokenizer: object | undefined])[] = [
  ['the request paths of its entry', { gl_path: '/a/', ingress_payload: ANTHROPIC }, { gpt2: 3, o200k_base: 3 }],
  [
    'the response paths of its entry',
    { gl_path: '/a/', inbound_payload: { content: [{ text: 'abc' }] } },
    { gpt2: 3, o200k_base: 3 },
  ],
  ['no path, if its entry has an empty list of paths', { gl_path: '/b/', ingress_payload: HELLO }, undefined],
  [
    'the places of the dialects, if its entry has no paths for the phase',
    { gl_path: '/b/', inbound_payload: ANSWER },
    { gpt2: 5 },
  ],
  [
    "the entry of the called router, not of the re-route's target",
    { gl_path: '/x/', original_gl_path: '/b/', inbound_payload: ANSWER },
    { gpt2: 5 },
  ],
  ['no path, if there is neither an entry nor a default', { gl_path: '/c/', ingress_payload: HELLO }, undefined],
]

for (const [what, message, tokenizer] of BY_ROUTER) {
  test(`texts of a call to a router are found by ${what}`, async () => {
    assert.deepEqual(await countOf(message, { routers: ROUTERS }), tokenizer === undefined ? undefined : { tokenizer })
  })
}

for (const { dialect, payload, texts } of ANSWERS_UNDER_TEST) {
  test(`the texts of an answer are summed: ${dialect}`, async () => {
    assert.deepEqual(await countOf({ inbound_payload: payload }), tokensOf(texts))
  })
}

for (const { dialect, payload, texts } of REQUESTS_UNDER_TEST) {
  test(`the texts of a request are summed: ${dialect}`, async () => {
    assert.deepEqual(await countOf({ ingress_payload: payload }), tokensOf(texts))
  })
}

test('by_model adds the encoding of the payload’s model, once', async () => {
  const file = { by_model: true }
  for (const payload of [
    { ingress_payload: { ...HELLO, model: 'gpt-4o' } },
    { inbound_payload: { ...ANSWER, model: 'gpt-4o' } },
  ]) {
    assert.deepEqual(await countOf(payload, file), { tokenizer: { gpt2: 5, o200k_base: 5 } })
    assert.deepEqual(await countOf(payload), { tokenizer: { gpt2: 5 } })
  }
  for (const model of ['gpt2', 'claude-sonnet-4-5', 7, undefined]) {
    assert.deepEqual(await countOf({ ingress_payload: { ...HELLO, model } }, file), { tokenizer: { gpt2: 5 } })
  }
})

test('texts beyond max_characters are extrapolated, and texts that cannot be counted have a token per four characters', async () => {
  const message = { ingress_payload: { messages: [{ content: 'abcdefgh' }, { content: 'ij' }] } }
  assert.deepEqual(await countOf(message, { max_characters: 10 }), { tokenizer: { gpt2: 10 } })
  assert.deepEqual(await countOf(message, { max_characters: 5 }), { tokenizer: { gpt2: 10, estimated: true } })
  const failing = createCountTokens({
    settings: tokenizerSettings.parse({}),
    counter: { count: async () => undefined },
  })
  assert.deepEqual(await failing(new Map(Object.entries(message))), { tokenizer: { gpt2: 3, estimated: true } })
})

test('keys named __proto__ are not read as texts and change nothing', async () => {
  const payload: unknown = JSON.parse(
    '{"__proto__":{"messages":[{"content":"abc"}]},"messages":[{"__proto__":{"content":"x"}}]}',
  )
  assert.equal(await countOf({ ingress_payload: payload }), undefined)
})

const INVALID: readonly (readonly [what: string, settings: object])[] = [
  ['an unknown encoding', { routers: [{ router: 'default', encodings: ['gpt9'] }] }],
  ['an empty list of encodings', { routers: [{ router: 'default', encodings: [] }] }],
  ['an encoding twice', { routers: [{ router: 'default', encodings: ['gpt2', 'gpt2'] }] }],
  ['a router twice', { routers: [{ router: '/a/' }, { router: '/a/' }] }],
  ['a router without its slashes', { routers: [{ router: 'a' }] }],
  ['an entry without a router', { routers: [{}] }],
  ['an empty path', { routers: [{ router: '/a/', request_paths: [''] }] }],
  ['a limit of no characters', { max_characters: 0 }],
]

for (const [what, settings] of INVALID) {
  test(`${what} is rejected as a setting`, () => assert.equal(tokenizerSettings.safeParse(settings).success, false))
}

function tokensOf(texts: readonly string[]): unknown {
  return texts.length === 0 ? undefined : { tokenizer: { gpt2: texts.join('').length } }
}

/** Answers a message with a counter that counts one token per character. */
async function countOf(message: object, file: object = {}): Promise<unknown> {
  const count = async ({ texts, encodings }: CountRequest) =>
    encodings.map(() => ({ tokens: texts.join('').length, estimated: false }))
  const answer = createCountTokens({ settings: tokenizerSettings.parse(file), counter: { count } })
  return await answer(new Map(Object.entries(message)))
}
