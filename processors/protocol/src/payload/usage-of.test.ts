import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ANSWERS_UNDER_TEST } from './dialects-under-test.ts'
import { awsFrame } from './streams-under-test.ts'
import { usageOf } from './usage-of.ts'

for (const { dialect, payload, usage } of ANSWERS_UNDER_TEST) {
  test(`usage of ${dialect}`, () => assert.deepEqual(usageOf(payload), usage))
}

const OTHERS: readonly (readonly [title: string, answer: unknown, usage: unknown])[] = [
  ['an answer with one counter', { usage: { completion_tokens: 5 } }, { completion: 5 }],
  ['an answer with only a total', { usage: { total_tokens: 9 } }, { total: 9 }],
  ['a part and the total', { usage: { prompt_tokens: 4, total_tokens: 9 } }, { prompt: 4, completion: 5, total: 9 }],
  [
    'an Anthropic message without a cache',
    { usage: { input_tokens: 4, cache_creation_input_tokens: null, output_tokens: 5 } },
    { prompt: 4, completion: 5, total: 9 },
  ],
  [
    'zero, which is a count',
    { usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 } },
    { prompt: 0, completion: 0, total: 0 },
  ],
  ['no usage', { choices: [] }, undefined],
  ['a usage of null', { usage: null }, undefined],
  ['a usage without counters', { usage: { seconds: 3 } }, undefined],
  [
    'counters that are not valid counts',
    { usage: { prompt_tokens: -1, completion_tokens: '5', total_tokens: 1.5 } },
    undefined,
  ],
  ['numbers beyond all bounds', { usageMetadata: { promptTokenCount: 1e300, totalTokenCount: [] } }, undefined],
  ['other meta members', { meta: { tokens: 7, billed_units: [1] } }, undefined],
  ['a text without events', 'the "usage" of it', undefined],
  ['bytes that are not events', { base64: 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' }, undefined],
  ['a list of other values', [null, 7, 'usage', [{ usage: { prompt_tokens: 1 } }]], undefined],
  ['an inherited member', JSON.parse('{"__proto__":{"usage":{"prompt_tokens":1}}}'), undefined],
  ['null', null, undefined],
]

test('the reading of a stream ends after a hundred frames without a chunk', () => {
  const frame = (text: string): Buffer => awsFrame({ bytes: Buffer.from(text).toString('base64') })
  const last = frame('{"usage":{"prompt_tokens":1,"completion_tokens":2}}')
  const after = (broken: number): unknown =>
    usageOf({ base64: Buffer.concat([...Array.from({ length: broken }, () => frame('{"a')), last]).toString('base64') })
  assert.deepEqual(after(100), { prompt: 1, completion: 2, total: 3 })
  assert.equal(after(101), undefined)
})

for (const [title, answer, usage] of OTHERS) {
  test(`usage of ${title}`, () => assert.deepEqual(usageOf(answer), usage))
}
