import assert from 'node:assert/strict'
import { testWithRe2 } from './with-re2-under-test.ts'

const REJECTED: readonly (readonly [pattern: string, reason: string])[] = [
  ['a(?=b)', 'lookaround:'],
  ['a(?!b)', 'lookaround:'],
  ['(?<=a)b', 'lookaround:'],
  ['(?<!a)b', 'lookaround:'],
  ['(a)\\1', 'backreference:'],
  ['\\8', 'backreference:'],
  ['\\y', 'escape:'],
  ['a\\', 'escape:'],
  ['[z-a]', 'class:'],
  ['\\p{Foo}', 'class:'],
  ['[a', 'bracket:'],
  ['(a', 'parenthesis:'],
  ['a)', 'parenthesis:'],
  ['*', 'repetition:'],
  ['a**', 'repetition:'],
  ['a{1001}', 'repetition:'],
  ['((a{100}){100}){100}', 'repetition:'],
  ['(?P<n', 'group:'],
  ['(?P<n>a)(?P<n>b)', 'group:'],
  ['\\pL{1000}'.repeat(11), 'too_large:'],
]

testWithRe2('a pattern that RE2 does not take is rejected with the class of its reason', (engine) => {
  for (const [pattern, reason] of REJECTED)
    assert.deepEqual(engine.compile(pattern), { kind: 'rejected', reason }, pattern)
})

const FOUND: readonly (readonly [pattern: string, text: string, found: readonly string[]])[] = [
  ['b+', 'abbcb', ['bb', 'b']],
  ['a(b+)c', 'abbc ac abc', ['bb', 'b']],
  ['a(?:x|(b)|(c))', 'ab ac ax', ['b', 'c', '']],
  ['(?i)ü', 'ÜBER', ['Ü']],
  ['(?s)a.b', 'a\nb', ['a\nb']],
  ['(?m)^a$', 'a\nb\na', ['a', 'a']],
  ['^a$', 'a\nb\na', []],
  ['x*', 'a👩b', ['', '', '', '']],
  ['(?P<name>b)', 'abc', ['b']],
  ['', 'ab', ['', '', '']],
]

testWithRe2('a match is its first group that took part, or all of it where the pattern has none', (engine) => {
  for (const [pattern, text, found] of FOUND) {
    const compilation = engine.compile(pattern)
    assert.ok(compilation.kind === 'compiled', pattern)
    assert.deepEqual(compilation.search(text, 10), found, pattern)
    assert.deepEqual(compilation.search(text, 10), found, 'a search leaves no state for the next search')
    assert.deepEqual(compilation.search(text, 1), found.slice(0, 1), 'at most the wanted number of matches')
  }
})

/** A backtracking engine's work doubles with each letter of the text, so it would not end. */
const EXPLOSIVE = ['(x+x+)+y', '(?:x|x)*y', '(x*)*y', '(?:x?){30}x{30}y', '^(([a-z])+.)+[A-Z]([a-z])+$']

testWithRe2('a pattern that a backtracking engine never ends with ends, for a text of a million letters', (engine) => {
  const text = 'x'.repeat(1_000_000)
  for (const pattern of EXPLOSIVE) {
    const compilation = engine.compile(pattern)
    assert.ok(compilation.kind === 'compiled', pattern)
    assert.deepEqual(compilation.search(text, 100), [], pattern)
  }
})
