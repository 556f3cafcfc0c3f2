import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileJsonPath } from './json.ts'

// Rules: docs/reference/processors.md

const ANSWER = { choices: [{ message: { content: 'Hi' } }], usage: { 'total-tokens': 9, nothing: null }, '0': 'zero' }

const PATHS: readonly (readonly [string, unknown])[] = [
  ['choices[0].message.content', 'Hi'],
  ['choices.0.message.content', 'Hi'],
  ['usage.total-tokens', 9],
  ['usage.nothing', null],
  ['[0]', 'zero'],
  ['', ANSWER],
  ['choices[1].message', undefined],
  ['choices[-1]', undefined],
  ['choices[00]', undefined],
  ['choices.length', undefined],
  ['choices[0].message.content.length', undefined],
  ['usage.nothing.more', undefined],
  ['constructor', undefined],
  ['usage.__proto__', undefined],
  ['usage.toString', undefined],
]

test('a[0].b and a.0.b mean the same, and only own properties are read', () => {
  for (const [path, value] of PATHS) assert.deepEqual(compileJsonPath(path)(ANSWER), value, path)
})

test('a path also reads the fields of a message', () => {
  const fields = new Map<string, unknown>([['inbound_payload', ANSWER]])
  assert.equal(compileJsonPath('inbound_payload.usage.total-tokens')(fields), 9)
  assert.equal(compileJsonPath('size')(fields), undefined)
})

test('a path of a value that is not an object finds nothing', () => {
  for (const value of [undefined, null, 1, 'text', true]) assert.equal(compileJsonPath('a.b')(value), undefined)
})
