import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MASKED } from '@llm-gateway/gui-api'
import { ValueMasker } from './value-masker.ts'

const PIECE = 64 * 1024
/** Longest turn of the main thread, in CPU time. */
const LONGEST_TURN_MS = 50

/** Returns the masked text, after the masker got it in pieces of this length. */
function shown(values: readonly string[], text: string, length = text.length): string {
  const masker = new ValueMasker(values)
  let all = ''
  for (let from = 0; from < text.length; from += length) all += masker.push(text.slice(from, from + length))
  return all + masker.end()
}

const CASES: readonly (readonly [string, readonly string[], string, string])[] = [
  ['a value', ['secret-1'], 'a secret-1 b', `a ${MASKED} b`],
  ['a value that begins another', ['secret', 'secret-1'], 'secret-1 secret', `${MASKED} ${MASKED}`],
  ['values that begin alike', ['secret', 'secret-12', 'secret-2'], 'secret-1 secret-2', `${MASKED}-1 ${MASKED}`],
  ['values that overlap', ['abcdefgh', 'efghijklmn'], '<abcdefghijklmn>', `<${MASKED}>`],
  ['a value within another', ['abcdefghijkl', 'defghi'], '<abcdefghijkl>defghi', `<${MASKED}>${MASKED}`],
  ['a repeated value', ['ababab'], 'x ababababab y', `x ${MASKED} y`],
  ['no value', ['short', 'secret-1'], 'short secret- secre', 'short secret- secre'],
  ['no values', [], 'secret', 'secret'],
]

for (const [what, values, text, expected] of CASES) {
  test(`${what} is masked wherever a text is cut`, () => {
    assert.equal(shown(values, text), expected)
    const joined = (length: number) => shown(values, text, length).replaceAll(MASKED + MASKED, MASKED)
    const whole = expected.replaceAll(MASKED + MASKED, MASKED)
    for (let length = 1; length < text.length; length += 1) {
      // A value that two pieces share is masked in both.
      assert.equal(joined(length).replaceAll(/(?:\[\*+MASKED\*+\])+/g, MASKED), whole, `pieces of ${length}`)
    }
  })
}

const MANY = Array.from({ length: 10_000 }, (_, index) => `Bearer key-${index}-${'x'.repeat(30)}`)
const TEXTS: readonly (readonly [string, string])[] = [
  ['ordinary text', 'an answer of an LLM API. '],
  ['first characters of the keys', 'B'],
  ['beginnings of the keys', 'Bearer key-1'],
  ['almost a key, again and again', `Bearer key-77-${'x'.repeat(29)}`],
  ['a key, again and again', MANY[5] ?? ''],
]

for (const [what, word] of TEXTS) {
  test(`with 10,000 keys a piece of ${what} takes no longer than a turn may`, () => {
    const masker = new ValueMasker(MANY)
    const piece = word.repeat(Math.ceil(PIECE / word.length))
    masker.push(piece)
    const times = Array.from({ length: 5 }, () => {
      const before = process.cpuUsage()
      masker.push(piece)
      const { user, system } = process.cpuUsage(before)
      return (user + system) / 1_000
    })
    assert.ok(Math.min(...times) < LONGEST_TURN_MS, `${times} ms of CPU`)
  })
}
