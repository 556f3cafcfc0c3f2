import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countCharacters } from './count-characters.ts'

// Rules: docs/reference/processors.md#character-count

test('the payload of the example has 179 characters', () => {
  const text =
    '{"messages":[{"role":"system","content":"Assistant is a large language model trained by OpenAI."},{"role":"user","content":"Who were the founders of Microsoft?"}],"max_tokens":15}'
  assert.equal(countCharacters(JSON.parse(text)), 179)
})

const COUNTS: readonly (readonly [string, number])[] = [
  ['{}', 2],
  ['{ "a" : 1 }', 7],
  ['"é"', 3],
  ['"👋"', 3],
  ['"👩‍👩‍👧"', 7],
  ['{"👋":"👋"}', 9],
  ['"\\ud83d"', 8],
  ['"\\udc4b\\ud83d"', 14],
  ['"\\ud83d\\ud83d\\udc4b"', 9],
  ['[null]', 6],
  ['""', 2],
  ['0', 1],
  ['{"__proto__":1}', 15],
]
for (const [text, count] of COUNTS) {
  test(`the compact JSON of ${text} has ${count} characters`, () => {
    assert.equal(countCharacters(JSON.parse(text)), count)
    assert.equal([...JSON.stringify(JSON.parse(text))].length, count)
  })
}

const DEPTH = 100_000
const DEEP: readonly (readonly [string, string, string])[] = [
  ['arrays', '['.repeat(DEPTH), ']'.repeat(DEPTH)],
  ['objects', '{"é":'.repeat(DEPTH), '}'.repeat(DEPTH)],
  [
    'both, with neighbours',
    '[{"👋":["👩‍👩‍👧",'.repeat(DEPTH),
    '],"b":[],"c":{}},-1.5e+300,true,null,"\\n\\ud83d"]'.repeat(DEPTH),
  ],
]
for (const [title, opening, closing] of DEEP) {
  test(`${title} nested deeper than the stack allows have their count`, () => {
    assert.equal(countCharacters(JSON.parse(`${opening}0${closing}`)), [...`${opening}0${closing}`].length)
  })
}

test('a null payload gets no count', () => {
  assert.equal(countCharacters(undefined), undefined)
  assert.equal(countCharacters(null), undefined)
})
