import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cutAt, joinTexts, pieces } from './cut-text.ts'

test('a text is cut after a paragraph, else a sentence, else a word, else anywhere but in a character', () => {
  const rows: readonly (readonly [string, number, string])[] = [
    ['short', 10, 'short'],
    ['One two.\nThree. Four', 18, 'One two.\nThree. '],
    ['One two three.\nFour', 18, 'One two three.\n'],
    ['One two three four', 16, 'One two three '],
    ['a\nbcdefghijklmnop', 10, 'a\nbcdefghi'],
    ['abcdefghij', 4, 'abcd'],
    ['abc😀def', 4, 'abc'],
    ['😀', 1, '\ud83d'],
  ]
  for (const [text, limit, head] of rows) assert.equal(text.slice(0, cutAt(text, limit)), head, text)
})

test('the pieces of a text cover all of it, and none is too long', () => {
  for (const text of [
    '',
    'x'.repeat(100),
    'Hello there. '.repeat(20),
    '\n'.repeat(50),
    '😀'.repeat(30),
    '\ud800'.repeat(30),
  ]) {
    const all = [...pieces(text, 16)]
    assert.equal(all.join(''), text)
    assert.ok(all.every((piece) => piece.length > 0 && piece.length <= 16))
  }
})

test('of many texts the last texts are kept whole, the text before them is cut, and the cut is marked', () => {
  assert.deepEqual(joinTexts(['one', 'two'], 6), { text: 'one\n\ntwo', cut: false })
  assert.deepEqual(joinTexts(['one', 'two'], 5), { text: 'on\n\ntwo', cut: true })
  assert.deepEqual(joinTexts(['one', 'two'], 3), { text: 'two', cut: true })
  assert.deepEqual(joinTexts(['one', 'two'], 2), { text: 'tw', cut: true })
  assert.deepEqual(joinTexts([], 2), { text: '', cut: false })
})
