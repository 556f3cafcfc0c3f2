import assert from 'node:assert/strict'
import { test } from 'node:test'
import { matchAt } from './match.ts'
import { compilePattern } from './pattern.ts'

const CLASSES = new Map([['pet', ['cat', 'dog']]])

/**
 * A pattern, words (a full stop ends a sentence, a comma makes a pause), and the number of matched words from the
 * first.
 */
const MATCHES: readonly (readonly [string, string, number | undefined])[] = [
  ['a b', 'a b c', 2],
  ['a b', 'a c b', undefined],
  ['a|x b', 'x b', 2],
  ['@pet|cow eats', 'dog eats', 2],
  ['a [b] c', 'a c', 2],
  ['a [b] c', 'a b c', 3],
  ['a *b|c d', 'a b c b d', 5],
  ['a *b|c d', 'a d', 2],
  ['a *b|c b', 'a b b', 3],
  ['a *b c', 'a b b b b b b c', undefined],
  ['a ~2 b', 'a x y b', 4],
  ['a ~2 b', 'a x y z b', undefined],
  ['a ~2 b', 'a x. b', undefined],
  ['a b', 'a. b', undefined],
  ['a b', 'a, b', 2],
  ['^ a', 'a', 1],
  ['a $', 'a b', undefined],
  ['a $', 'a. b', 1],
  ['a $', 'a, b', 1],
  ['a b|$', 'a', 1],
]
for (const [pattern, text, matched] of MATCHES) {
  test(`${pattern} ${matched === undefined ? "doesn't fit" : `fits ${matched} words of`} ${text}`, () => {
    const pieces = text.split(' ')
    const words = {
      words: pieces.map((piece) => piece.replace(/[.,]$/, '')),
      ends: pieces.map((piece) => piece.endsWith('.')),
      pauses: pieces.map((piece) => piece.endsWith(',')),
    }
    assert.equal(matchAt(compilePattern(pattern, CLASSES), words, 0)?.end, matched)
  })
}

test('a match lists the words that it hides and the words that its gaps skipped', () => {
  const words = { words: ['a', 'x', 'b'], ends: [], pauses: [] }
  assert.deepEqual(matchAt(compilePattern('a ~2 !b', CLASSES), words, 0), { end: 3, hidden: [2], passed: [1] })
})
