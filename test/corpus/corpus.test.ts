import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { entityLabels, readEntitiesCorpus, readToxicityCorpus, toxicityLabels } from './read-corpus.ts'

describe('the labelled texts', () => {
  const toxicity = readToxicityCorpus()
  const entities = readEntitiesCorpus()

  it('have at least 200 lines each and no text twice', () => {
    for (const texts of [toxicity.map(({ text }) => text), entities.map(({ text }) => text)]) {
      assert.ok(texts.length >= 200)
      assert.equal(new Set(texts).size, texts.length)
    }
  })

  it('call a text toxic whenever they give it any other label', () => {
    const halfLabelled = toxicity.filter(({ labels }) => labels.length > 0 && !labels.includes('toxicity'))
    assert.deepEqual(halfLabelled, [])
  })

  it('use every label, and are toxic in two to three lines of five', () => {
    for (const label of toxicityLabels)
      assert.ok(
        toxicity.some(({ labels }) => labels.includes(label)),
        label,
      )
    for (const label of entityLabels)
      assert.ok(
        entities.some((line) => line.entities.some((entity) => entity.label === label)),
        label,
      )
    const share = toxicity.filter(({ labels }) => labels.length > 0).length / toxicity.length
    assert.ok(share > 0.4 && share < 0.6, String(share))
  })

  it('name entities that stand in their text, in its order and without overlap', () => {
    for (const line of entities) {
      let from = 0
      for (const { text } of line.entities) {
        const at = line.text.indexOf(text, from)
        assert.ok(at >= 0, `${text} in ${line.text}`)
        from = at + text.length
      }
    }
  })

  it('keep articles out of people, organizations and places, but for names that begin with one', () => {
    const named = entities.flatMap((line) => line.entities).filter(({ label }) => /^(PERSON|ORG|GPE)$/.test(label))
    assert.deepEqual(
      named
        .map(({ text }) => text)
        .filter((text) => /^(the|a|an) /i.test(text))
        .sort(),
      ['A Coruña', 'The Hague'],
    )
  })
})
