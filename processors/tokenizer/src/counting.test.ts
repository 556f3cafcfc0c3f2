import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCounting } from './counting.ts'
import { encodingsOf, tokenizerSettings } from './settings.ts'

// Rules: docs/reference/processors.md#tokenizer

const REQUEST = { texts: ['hello world'], encodings: ['gpt2', 'o200k_base'] } as const

test('the encodings are loaded before the first count, which has its result at once', async () => {
  const count = await createCounting(REQUEST.encodings)
  const two = { tokens: 2, estimated: false }
  assert.deepEqual(count(REQUEST), [two, two])
})

test('an encoding that isn’t loaded has no count', async () => {
  const count = await createCounting(['gpt2'])
  assert.equal(count(REQUEST), undefined)
})

test('the encodings of all routers are loaded, once, and all encodings where a model may name them', () => {
  const routers = [
    { router: 'default', encodings: ['gpt2', 'o200k_base'] },
    { router: '/a/', encodings: ['o200k_base'] },
  ]
  assert.deepEqual(encodingsOf(tokenizerSettings.parse({ routers })), ['gpt2', 'o200k_base'])
  assert.equal(encodingsOf(tokenizerSettings.parse({ routers, by_model: true })).length, 6)
  assert.deepEqual(encodingsOf(tokenizerSettings.parse({})), ['gpt2'])
})
