import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileSearchPath } from './search-path.ts'

// Rules: docs/reference/processors.md#tokenizer, docs/reference/processor-settings.md#tokenizer

const CHAT = {
  model: 'm',
  system: [{ text: 's' }],
  messages: [{ content: 'a' }, {}, { content: null }, { content: [{ text: 'b' }, { text: 'c' }] }, 'no object', null],
}

const PATHS: readonly (readonly [path: string, found: readonly unknown[]])[] = [
  ['model', ['m']],
  ['messages[*].content', ['a', null, [{ text: 'b' }, { text: 'c' }]]],
  ['messages.*.content', ['a', null, [{ text: 'b' }, { text: 'c' }]]],
  ['messages[*].content[*].text', ['b', 'c']],
  ['messages[0].content', ['a']],
  ['system[*].text', ['s']],
  ['system[*]', [{ text: 's' }]],
  ['[*].content', []],
  ['model[*]', []],
  ['missing[*].content', []],
  ['messages[*].constructor', []],
  ['__proto__', []],
  ['', [CHAT]],
]

test('a search path finds values in order, with [*] for every member of an array', () => {
  for (const [path, found] of PATHS) assert.deepEqual(compileSearchPath(path)(CHAT), found, path)
})

test('a search path that begins with [*] starts in an array and finds nothing in other values', () => {
  assert.deepEqual(compileSearchPath('[*].a')([{ a: 1 }, { a: 2 }]), [1, 2])
  for (const value of [undefined, null, 7, 'text']) assert.deepEqual(compileSearchPath('a[*].b')(value), [])
})
