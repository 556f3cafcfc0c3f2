import assert from 'node:assert/strict'
import { test } from 'node:test'
import { usageOf } from './usage-of.ts'

const CASES: readonly (readonly [title: string, answer: unknown, usage: unknown])[] = [
  [
    'a chat completion',
    { usage: { prompt_tokens: 4, completion_tokens: 5, total_tokens: 9 } },
    { input: 4, output: 5 },
  ],
  ['an OpenAI response', { usage: { input_tokens: 4, output_tokens: 5 } }, { input: 4, output: 5 }],
  [
    'an OpenAI response, whose input has the cached tokens in it',
    { usage: { input_tokens: 4, input_tokens_details: { cached_tokens: 3 }, output_tokens: 5 } },
    { input: 4, output: 5 },
  ],
  [
    'an Anthropic message, whose input has not',
    { usage: { input_tokens: 4, cache_creation_input_tokens: 10, cache_read_input_tokens: 100, output_tokens: 5 } },
    { input: 114, output: 5 },
  ],
  [
    'an Anthropic message without a cache',
    { usage: { input_tokens: 4, cache_creation_input_tokens: null, output_tokens: 5 } },
    { input: 4, output: 5 },
  ],
  ['an embedding has input alone', { usage: { prompt_tokens: 8, total_tokens: 8 } }, { input: 8 }],
  ['zero is a count', { usage: { prompt_tokens: 0, completion_tokens: 0 } }, { input: 0, output: 0 }],
  ['no usage', { choices: [] }, undefined],
  ['a usage of null', { usage: null }, undefined],
  ['a usage without counters', { usage: { seconds: 3 } }, undefined],
  ['counters that are no counts', { usage: { prompt_tokens: -1, completion_tokens: '5' } }, undefined],
  ['fractions and numbers beyond all bounds', { usage: { prompt_tokens: 1.5, completion_tokens: 1e300 } }, undefined],
  ['a text', 'usage', undefined],
  ['an array', [{ usage: { prompt_tokens: 1 } }], undefined],
  ['null', null, undefined],
]

for (const [title, answer, usage] of CASES) {
  test(`usage of ${title}`, () => assert.deepEqual(usageOf(answer), usage))
}
