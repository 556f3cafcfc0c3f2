import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getEncodingNameForModel } from 'js-tiktoken/lite'
import { encodingOfModel } from './encodings.ts'

/** Names whose encoding js-tiktoken knows too. */
const KNOWN = [
  ...[
    'gpt-4o',
    'gpt-4o-mini-2024-07-18',
    'gpt-4.1-nano',
    'o1',
    'o1-mini',
    'o3-mini',
    'gpt-5',
    'gpt-5-mini',
    'chatgpt-4o-latest',
  ],
  ...['gpt-4', 'gpt-4-32k-0613', 'gpt-4-turbo', 'gpt-3.5-turbo-0125', 'gpt-3.5-turbo-instruct'],
  ...['text-embedding-ada-002', 'text-embedding-3-small', 'text-embedding-3-large'],
  ...[
    'text-davinci-003',
    'code-davinci-002',
    'code-cushman-001',
    'text-davinci-edit-001',
    'davinci',
    'text-ada-001',
    'gpt2',
  ],
] as const

for (const model of KNOWN) {
  test(`the encoding of ${model} is js-tiktoken’s`, () => {
    assert.equal(encodingOfModel(model), getEncodingNameForModel(model))
  })
}

const OTHERS: readonly (readonly [model: unknown, encoding: string | undefined])[] = [
  ['openai/gpt-4o', 'o200k_base'],
  ['ft:gpt-4o-mini-2024-07-18:org::id', 'o200k_base'],
  ['gpt-35-turbo', 'cl100k_base'],
  ['openai/gpt-oss-120b', 'o200k_base'],
  [' GPT-4O ', 'o200k_base'],
  ['gpt-4omni', undefined],
  ['claude-sonnet-4-5', undefined],
  ['gemini-2.5-flash', undefined],
  ['olmo-2', undefined],
  ['o1x', undefined],
  ['', undefined],
  [7, undefined],
  [undefined, undefined],
  [`${'a/'.repeat(200)}gpt-4o`, undefined],
]

for (const [model, encoding] of OTHERS) {
  test(`the encoding of ${JSON.stringify(model)?.slice(0, 40)} is ${encoding}`, () =>
    assert.equal(encodingOfModel(model), encoding))
}
