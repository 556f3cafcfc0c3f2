import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ANSWERS_UNDER_TEST, REQUESTS_UNDER_TEST } from '@llm-gateway/protocol/dialects-under-test'
import { compileMessageTexts } from './message-texts.ts'
import { nlpEntitiesSettings } from './settings.ts'

// Rules: docs/reference/processors.md#nlp-entities

const { request_paths: request, response_paths: response } = nlpEntitiesSettings.parse({})
const textsOf = compileMessageTexts({
  paths: { request, response },
  routers: new Map([['/mine/', { request: ['question.0'], response: [] }]]),
})
const texts = (message: object) => textsOf(new Map(Object.entries(message)))
const parts = [{ type: 'text', text: 'one' }, { type: 'image_url', image_url: {} }, 'two', 7, null]

test('the texts of a request are read from its messages, those of an answer from its choices, parts included', () => {
  const messages = [{ role: 'system', content: 'zero' }, { content: parts }, { content: null }, 7, null]
  assert.deepEqual(texts({ outbound_payload: { messages } }), ['zero', 'one', 'two'])
  const choices = [{ message: { content: 'zero' } }, { message: { content: parts } }, {}]
  assert.deepEqual(texts({ egress_payload: { choices } }), ['zero', 'one', 'two'])
})

/** Leaves out tools' arguments and results, which are objects. */
const writtenTexts = (found: readonly string[]) => found.filter((text) => !text.startsWith('{'))

for (const { dialect, payload, texts: found } of ANSWERS_UNDER_TEST) {
  test(`written texts of an answer are found: ${dialect}`, () => {
    assert.deepEqual(texts({ egress_payload: payload }), writtenTexts(found))
  })
}

for (const { dialect, payload, texts: found } of REQUESTS_UNDER_TEST) {
  test(`written texts of a request are found: ${dialect}`, () => {
    assert.deepEqual(texts({ outbound_payload: payload }), writtenTexts(found))
  })
}

test('a router’s own paths are used if the row selects gl_path', () => {
  const payload = { question: ['a', 'b'], messages: [{ content: 'c' }] }
  assert.deepEqual(texts({ gl_path: '/mine/', outbound_payload: payload }), ['a'])
  assert.deepEqual(texts({ gl_path: '/other/', outbound_payload: payload }), ['c'])
  assert.deepEqual(texts({ gl_path: '/mine/', egress_payload: { choices: [{ text: 'a' }] } }), [])
  assert.deepEqual(texts({ gl_path: 7, outbound_payload: payload }), ['c'])
})

test('a value that is not a payload of a known form has no texts', () => {
  assert.equal(texts({}), undefined)
  assert.equal(texts({ ingress_payload: { messages: [{ content: 'a' }] } }), undefined)
  for (const payload of [
    null,
    7,
    'text',
    [],
    {},
    { messages: {} },
    { messages: [[]] },
    { messages: [{ content: ' ' }] },
  ]) {
    assert.deepEqual(texts({ outbound_payload: payload }), [])
  }
})

test('keys that every object inherits are not read as texts', () => {
  const payload: unknown = JSON.parse(
    '{"__proto__":{"messages":[{"content":"a"}]},"messages":[{"__proto__":{"content":"b"}}]}',
  )
  assert.deepEqual(texts({ outbound_payload: payload }), [])
  const inherited = compileMessageTexts({
    paths: { request: ['constructor.name', '__proto__'], response: [] },
    routers: new Map(),
  })
  assert.deepEqual(inherited(new Map([['outbound_payload', {}]])), [])
})
