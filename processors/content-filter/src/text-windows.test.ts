import assert from 'node:assert/strict'
import { test } from 'node:test'
import { textWindows, tokenWindows } from './text-windows.ts'

test('short texts are one window', () => {
  assert.deepEqual([...textWindows(['a', 'b'], 16)], ['a\nb'])
})

test('a long text is in windows of the size, cut between words, and every part of it with an overlap', () => {
  const words = Array.from({ length: 500 }, (_, index) => `word${index}`)
  const windows = [...textWindows([words.join(' ')], 100)]
  assert.ok(windows.every((window) => window.length <= 100))
  for (const [index, word] of words.slice(0, -1).entries()) {
    const pair = `${word} ${words[index + 1]}`
    assert.ok(
      windows.some((window) => window.includes(pair)),
      pair,
    )
  }
})

test('a text without blanks and pairs of surrogates are cut between characters', () => {
  const windows = [...textWindows(['👋'.repeat(200)], 17)]
  assert.ok(windows.every((window) => window.isWellFormed() && window.length <= 17 && window.length > 0))
  assert.ok(windows.join('').length >= 400)
})

const countTokens = (text: string): number => text.length

test('a text of too many tokens is halved, and blank windows are dropped', () => {
  const windows = tokenWindows('abcdefgh   ij', { windowTokens: 3, countTokens })
  assert.deepEqual(
    windows?.map(({ text, tokens }) => [text, tokens]),
    [
      ['ab', 2],
      ['cd', 2],
      ['efg', 3],
      ['h  ', 3],
      [' ij', 3],
    ],
  )
  assert.deepEqual(tokenWindows('  ', { windowTokens: 3, countTokens }), [])
})

test('a text with a character larger than a window has no windows', () => {
  assert.equal(tokenWindows('a', { windowTokens: 3, countTokens: () => 4 }), undefined)
})
