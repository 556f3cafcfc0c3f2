import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPieceReader } from './read-piece.ts'
import { createSpelling } from './spelling.ts'
import { type Window, wordWindows } from './word-windows.ts'

const read = createPieceReader(createSpelling(new Set(), new Map()))
const windowsOf = (...texts: readonly string[]): readonly Window[] =>
  [...wordWindows(texts, read)].filter((window) => window !== undefined)
/** Letters instead of digits, which would be read as letters. */
const LETTERS = 'bcdfghjklm'
const marked = (marks: readonly boolean[] | undefined, { words }: Window): readonly string[] =>
  words.filter((_, index) => marks?.[index] === true)

test('a window of words marks the ends of sentences, their pauses and quoted words', () => {
  const [window] = windowsOf('He said, "nice one here". Then he left')
  assert.ok(window !== undefined)
  assert.equal(window.words.join(' '), 'he said nice one here then he left')
  assert.deepEqual(marked(window.ends, window), ['here'])
  assert.deepEqual(marked(window.pauses, window), ['said'])
  assert.deepEqual(marked(window.quoted, window), ['nice', 'one', 'here'])
})

test('words after an unclosed quotation mark are not quoted, and sentences of one word are joined', () => {
  const [window] = windowsOf('say "this. and. that. again. more')
  assert.ok(window !== undefined)
  assert.ok(!window.quoted.includes(true))
  assert.ok(!window.ends.includes(true))
})

test('a long text becomes several windows, each of which begins with the last words of the previous window', () => {
  const words = Array.from(
    { length: 5_000 },
    (_, index) =>
      `w${String(index)
        .padStart(4, '0')
        .replace(/[0-9]/g, (digit) => LETTERS.charAt(Number(digit)))}`,
  )
  const windows = windowsOf(words.join(' '))
  assert.ok(windows.length > 4)
  const seen = windows.map((window) => window.words)
  seen.reduce((before, after) => {
    assert.deepEqual(after.slice(0, 64), before.slice(-64))
    return after
  })
  assert.deepEqual([...new Set(seen.flat())], words)
})

test('many texts without blanks become several windows, too', () => {
  const texts = Array.from({ length: 5_000 }, (_, index) => `w${LETTERS.charAt(index % LETTERS.length)}`)
  const windows = windowsOf(...texts)
  assert.deepEqual([...new Set(windows.map(({ words }) => words.length))].slice(0, -1), [1_024])
  const seen = windows.flatMap(({ words }, index) => (index === 0 ? words : words.slice(64)))
  assert.deepEqual(seen, texts)
})

test('texts are joined, signs and blanks take no room, encoded files are skipped', () => {
  const [window, ...others] = windowsOf('one', ` ${'. ,'.repeat(100_000)}two`, 'aB3+'.repeat(10_000), 'three')
  assert.equal(window?.words.join(' '), 'one two three')
  assert.equal(others.length, 0)
})

test('a text without words has no window', () => {
  assert.deepEqual(windowsOf('', ' ', '...'), [])
})
