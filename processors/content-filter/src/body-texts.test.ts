import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bodyTexts, type TextChoice } from './body-texts.ts'

// Rules: docs/reference/processors.md#content-filter, docs/reference/processor-settings.md#content-filter

const system = { role: 'system', content: 's' }
const user = (content: unknown) => ({ role: 'user', content })
const assistant = (content: unknown) => ({ role: 'assistant', content })
const parts = [
  { type: 'text', text: 'a' },
  { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
  { type: 'input_text', text: 'b' },
  { type: 'tool_result', tool_use_id: 'id', content: [{ type: 'text', text: 'c' }] },
  { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'd' } },
  { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
]

const SPECIFIED: readonly (readonly [string, unknown, readonly string[]])[] = [
  ['messages[1] is the text', { messages: [system, user('u'), assistant('a'), user('later')] }, ['u']],
  ['messages[1] is the text in any role', { messages: [user('u'), assistant('a'), user('later')] }, ['a']],
  ['without messages[1] the last user message counts', { messages: [user('only')] }, ['only']],
  ['a messages[1] without text leaves the last user message', { messages: [user('u'), assistant(null)] }, ['u']],
  ['white space is no text', { messages: [user('first'), assistant(' \n'), user('u')] }, ['u']],
  ['roles are read in any case', { messages: [{ role: ' User ', content: 'u' }] }, ['u']],
  ['content may be parts, attachments are left out', { messages: [system, user(parts)] }, ['a', 'b', 'c', 'd']],
  ['without a user message every text counts', { messages: [system] }, ['s']],
  ['all texts of a prompt count', { model: 'm', prompt: ['p', 'q'] }, ['p', 'q']],
  ['messages that are not an array are read as texts', { messages: { a: 'x' }, content: 'y' }, ['x', 'y']],
  ['a harmless chat hides no prompt beside it', { messages: [user('u')], prompt: 'p', input: 'i' }, ['u', 'i', 'p']],
  ['a chat hides no other chat', { messages: [user('u')], contents: [{ parts: [{ text: 'c' }] }] }, ['u', 'c']],
  ['every text of a body of an unknown form counts', { model: 'm', ask: { about: 'q' } }, ['m', 'q']],
  ['every text of a conversation without a user counts', { instructions: 'i', input: [assistant('a')] }, ['i', 'a']],
  ['a bare string is the text', 'plain', ['plain']],
  ['an array is not a chat', ['x', [{ y: 'z' }]], ['x', 'z']],
  ['a __proto__ in the body is a name like others', JSON.parse('{"__proto__":{"messages":[]},"x":"y"}'), ['y']],
  ['a body without text has nothing to score', { messages: [] }, []],
  ['a missing body has nothing to score', null, []],
  ['a number has nothing to score', 5, []],
]
for (const [title, body, texts] of SPECIFIED) {
  test(title, () => assert.deepEqual(bodyTexts(body, 'specified'), texts))
}

const CHOICES: readonly (readonly [TextChoice, readonly string[]])[] = [
  ['specified', ['1']],
  ['all_user', ['s', '1', '2']],
  ['all', ['m', 's', '1', 'a', '2']],
]
for (const [choice, texts] of CHOICES) {
  test(`texts ${choice} chooses ${texts.join(' ')}`, () => {
    const body = { model: 'm', messages: [system, user('1'), assistant('a'), user('2')] }
    assert.deepEqual(bodyTexts(body, choice), texts)
  })
}

test('a body nested 100,000 deep gives its text', () => {
  let body: unknown = 'deep'
  for (let depth = 0; depth < 100_000; depth += 1) body = [body]
  assert.deepEqual(bodyTexts({ messages: [system, user(body)] }, 'specified'), ['deep'])
})
