import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compilePattern } from '../pattern.ts'
import { compileLexicon } from './lexicon.ts'

test('every rule of the lexicon compiles and can be begun by a word', () => {
  const { scored, harmless, vocabulary } = compileLexicon()
  for (const index of [scored, harmless]) {
    assert.ok(index.byFirst.size > 100)
    const begun = new Set([...index.byFirst.values()].flat())
    const found = new Set([...index.byRarest.values()].flat())
    assert.deepEqual(begun, found)
  }
  // What folding turns into something else could never be found.
  for (const word of vocabulary) assert.match(word, /^[\p{Ll}\p{Lo}\d-]*$/u)
})

test('a rule for hatred, insult, threat or swearing is toxic too', () => {
  for (const { scores } of [...compileLexicon().scored.byFirst.values()].flat()) {
    assert.ok(scores.some(([category, score]) => category === 'toxicity' && score > 0))
    assert.ok(scores.every(([, score]) => score > 0 && score < 1))
  }
})

for (const pattern of ['~2 word', '[maybe] word', '*a|b word', '@nosuchclass', '$']) {
  test(`the pattern ${pattern} is refused`, () => {
    assert.throws(() => compilePattern(pattern, new Map()))
  })
}
