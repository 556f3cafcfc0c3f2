import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileLexicon } from './lexicon/lexicon.ts'
import { windowScores } from './window-scores.ts'

test('the ends of sentences are searched in linear time, also in words without any', () => {
  const words = Array.from({ length: 4_000 }, () => 'zzz')
  const none = words.map(() => false)
  let looks = 0
  const ends = new Proxy(none, {
    get: (target, name, receiver) => {
      looks += 1
      return Reflect.get(target, name, receiver)
    },
  })
  windowScores({ words, ends, pauses: none, quoted: none, disguised: none }, compileLexicon())
  assert.ok(looks < 4 * words.length, `${looks} looks`)
})
