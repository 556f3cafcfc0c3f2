import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBuiltInScorer } from '../built-in-scorer.ts'
import { compilePattern } from '../pattern.ts'
import { CATEGORIES } from '../scores.ts'
import { CLASSES } from './classes.ts'
import { compileLexicon, SCORED } from './lexicon.ts'

test('every rule of the lexicon compiles and can begin with a word', () => {
  const { scored, harmless, vocabulary } = compileLexicon()
  for (const index of [scored, harmless]) {
    assert.ok(index.byFirst.size > 100)
    const begun = new Set([...index.byFirst.values()].flat())
    const found = new Set([...index.byRarest.values()].flat())
    assert.deepEqual(begun, found)
  }
  // A word that folding changes could never be found.
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

/** A blank among alternatives would make a sequence that no text contains, so each rule has an example. */
test('each rule alone finds its example, and each word of a rule for single words is found', async () => {
  const examples = SCORED.flatMap((rule) => {
    if (rule.example === undefined) return []
    const [only, ...others] = compilePattern(rule.pattern, CLASSES)
    const words = others.length === 0 && only?.kind === 'word' ? [...only.words] : []
    const scorer = createBuiltInScorer(compileLexicon([rule]))
    return [rule.example, ...words].map((text) => ({ rule, text, scorer }))
  })
  assert.ok(examples.length > 500)
  const missed: string[] = []
  for (const { rule, text, scorer } of examples) {
    const scores = await scorer.score([text], new AbortController().signal)
    if (CATEGORIES.every((category) => scores[category] === 0)) missed.push(`${rule.pattern}: ${text}`)
  }
  assert.deepEqual(missed, [])
})

test('no line of the rules is longer than 160 characters', async () => {
  const { readdir, readFile } = await import('node:fs/promises')
  for (const name of await readdir(import.meta.dirname)) {
    const text = await readFile(new URL(name, import.meta.url), 'utf8')
    for (const line of text.split('\n')) assert.ok(line.length <= 160, `${name}: ${line}`)
  }
})
