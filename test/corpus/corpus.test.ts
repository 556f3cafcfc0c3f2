import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ENTITY_LABELS, readEntitiesCorpus, readToxicityCorpus, TOXICITY_LABELS } from './read-corpus.ts'

const toxicity = readToxicityCorpus()
const entities = readEntitiesCorpus()

test('each line of the labelled texts has a text and labels of its set, nothing else', () => {
  for (const line of toxicity) {
    assert.deepEqual(Object.keys(line), ['text', 'labels'])
    assert.ok(line.text.length > 0 && line.labels.every((label) => TOXICITY_LABELS.includes(label)), line.text)
    assert.equal(new Set(line.labels).size, line.labels.length)
  }
  for (const line of entities) {
    assert.deepEqual(Object.keys(line), ['text', 'entities'])
    for (const entity of line.entities) {
      assert.deepEqual(Object.keys(entity), ['text', 'label'])
      assert.ok(ENTITY_LABELS.includes(entity.label), entity.text)
    }
  }
})

test('each labelled text has at least 200 lines and no text twice', () => {
  for (const texts of [toxicity.map(({ text }) => text), entities.map(({ text }) => text)]) {
    assert.ok(texts.length >= 200)
    assert.equal(new Set(texts).size, texts.length)
  }
})

test('a text with any toxicity label has the label toxic', () => {
  assert.deepEqual(
    toxicity.filter(({ labels }) => labels.length > 0 && !labels.includes('toxicity')),
    [],
  )
})

test('every label is used, and between 40 and 60 percent of the lines are toxic', () => {
  const toxic = new Set(toxicity.flatMap(({ labels }) => labels))
  const named = new Set(entities.flatMap((line) => line.entities.map(({ label }) => label)))
  assert.deepEqual([toxic.size, named.size], [TOXICITY_LABELS.length, ENTITY_LABELS.length])
  const share = toxicity.filter(({ labels }) => labels.length > 0).length / toxicity.length
  assert.ok(share > 0.4 && share < 0.6, String(share))
})

test('each entity occurs in its text; entities are in the order of the text and do not overlap', () => {
  for (const line of entities) {
    let from = 0
    for (const { text } of line.entities) {
      const at = line.text.indexOf(text, from)
      assert.ok(at >= 0, `${text} in ${line.text}`)
      from = at + text.length
    }
  }
})

test('people, organizations and places are labelled without an article, except names that begin with one', () => {
  const named = entities.flatMap((line) => line.entities).filter(({ label }) => /^(PERSON|ORG|GPE)$/.test(label))
  const withArticle = named.map(({ text }) => text).filter((text) => /^(the|a|an) /i.test(text))
  assert.deepEqual(withArticle.toSorted(), ['A Coruña', 'The Hague'])
})
