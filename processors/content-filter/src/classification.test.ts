import assert from 'node:assert/strict'
import { test } from 'node:test'
import { labelCategories, outputScores } from './classification.ts'
import { NO_SCORES } from './scores.ts'

test("labels are mapped by the settings, then by their names and by other models' names", () => {
  const labels = ['toxic', 'severe_toxic', 'OBSCENE', 'identity_hate', 'LABEL_1', 'neutral', '__proto__']
  assert.deepEqual(labelCategories(labels, { LABEL_1: 'threat', toxic: 'insult' }), [
    'insult',
    'severe_toxicity',
    'obscene',
    'identity_attack',
    'threat',
    undefined,
    undefined,
  ])
})

test('outputs become scores by the activation, and the highest of several for one category counts', () => {
  const categories = ['toxicity', undefined, 'insult', 'insult'] as const
  assert.deepEqual(outputScores([0, 9, 0, -Infinity], categories, 'sigmoid'), {
    ...NO_SCORES,
    toxicity: 0.5,
    insult: 0.5,
  })
  assert.deepEqual(outputScores([1, 1, 1, 1], categories, 'softmax'), { ...NO_SCORES, toxicity: 0.25, insult: 0.25 })
  assert.deepEqual(outputScores([0.2, 1, 0.3, 7], categories, 'none'), { ...NO_SCORES, toxicity: 0.2, insult: 1 })
  const large = outputScores([1_000, 0, 0, 0], categories, 'softmax')
  assert.equal(large.toxicity, 1)
})
