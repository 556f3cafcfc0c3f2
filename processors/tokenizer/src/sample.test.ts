import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sampleOf, textsOf } from './sample.ts'

// Rules: docs/reference/processors.md#tokenizer

const CONTENTS: readonly (readonly [content: unknown, texts: readonly string[]])[] = [
  ['text', ['text']],
  ['', ['']],
  [
    [
      { type: 'text', text: 'a' },
      { type: 'image_url', image_url: { url: 'x' } },
      { type: 'text', text: 'b' },
    ],
    ['a', 'b'],
  ],
  [
    ['a', 'b'],
    ['a', 'b'],
  ],
  [[[{ text: 'nested' }], { text: { value: 'x' } }, null, 7], []],
  [{ text: 'one part' }, ['one part']],
  [{}, []],
  [null, []],
  [7, []],
]

test('the text of a content is the string itself or the texts of its parts', () => {
  for (const [content, texts] of CONTENTS) assert.deepEqual(textsOf(content), texts, JSON.stringify(content))
})

const BOUNDS = { maxCharacters: 5, maxTexts: 3 }
const SAMPLES: readonly (readonly [
  all: readonly string[],
  texts: readonly string[],
  sampled: number,
  total: number,
])[] = [
  [[], [], 0, 0],
  [['', ''], [], 0, 0],
  [['ab', 'cde'], ['ab', 'cde'], 5, 5],
  [['ab', 'cdef'], ['ab', 'cde'], 5, 6],
  [['abcdefgh', 'x'], ['abcde'], 5, 9],
  [['a', 'b', 'c', 'd'], ['a', 'b', 'c'], 3, 4],
  [['', '', '', 'a'], ['a'], 1, 1],
]

test('a sample is bounded in characters and in number of texts', () => {
  for (const [all, texts, sampled, total] of SAMPLES) assert.deepEqual(sampleOf(all, BOUNDS), { texts, sampled, total })
})
