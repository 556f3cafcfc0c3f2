import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { ENTITY_LABELS } from './read-corpus.ts'
import { namesFile, readNames } from './read-names.ts'

/** The hash of the file: texts that change together with the rules would make the figures worthless. */
const FROZEN = '97c6a0ee67c8f35a81b2b081d4fde94aaddc24a2b7542988693fb28fd534c1dd'

test('the sentences that judge the recognizer are unchanged since before its rules changed', () => {
  assert.equal(createHash('sha256').update(namesFile()).digest('hex'), FROZEN)
})

test('there are at least 300 sentences, each with its entities in order, and about half of them are reserved for the judgement', () => {
  const lines = readNames()
  assert.ok(lines.length >= 300)
  assert.equal(new Set(lines.map(({ text }) => text)).size, lines.length)
  const share = lines.filter(({ heldOut }) => heldOut).length / lines.length
  assert.ok(share > 0.4 && share < 0.6, String(share))
  for (const { text, entities } of lines) {
    let from = 0
    for (const entity of entities) {
      assert.ok(ENTITY_LABELS.includes(entity.label))
      from = text.indexOf(entity.text, from) + 1
      assert.ok(from > 0, `${entity.text} in ${text}`)
    }
  }
})
