import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readToxicityCorpus } from '@llm-gateway/test/corpus/read-corpus'
import { createBuiltInScorer } from './built-in-scorer.ts'
import { CATEGORIES, type Category } from './scores.ts'

const THRESHOLD = 0.5
/** Recall and precision: the README's figures less a margin for changed rules. */
const FLOORS: Readonly<Record<Category | 'any of them', readonly [recall: number, precision: number]>> = {
  toxicity: [0.88, 0.95],
  severe_toxicity: [0.52, 0.75],
  obscene: [0.72, 0.81],
  threat: [0.8, 0.87],
  insult: [0.89, 0.78],
  identity_attack: [0.83, 0.83],
  'any of them': [0.89, 0.95],
}

type Counts = { readonly right: number; readonly missed: number; readonly wrong: number }

test('each category is found with the published recall and precision, less 0.05, in texts by authors who did not know the lexicon', async (context) => {
  const lines = readToxicityCorpus()
  assert.ok(lines.length >= 200)
  const scorer = createBuiltInScorer()
  const { signal } = new AbortController()
  const scored = await Promise.all(
    lines.map(async ({ text, labels }) => ({ labels, scores: await scorer.score([text], signal) })),
  )
  const counts = new Map(
    CATEGORIES.map((category) => [
      category,
      countsOf(scored.map(({ labels, scores }) => [labels.includes(category), scores[category] > THRESHOLD])),
    ]),
  )
  const rejected = countsOf(
    scored.map(({ labels, scores }) => [
      labels.length > 0,
      CATEGORIES.some((category) => scores[category] > THRESHOLD),
    ]),
  )
  for (const [name, count] of [...counts, ['any of them', rejected] as const]) {
    context.diagnostic(figures(name, count))
    const [leastRecall, leastPrecision] = FLOORS[name]
    assert.ok(recall(count) >= leastRecall && precision(count) >= leastPrecision, figures(name, count))
  }
})

function countsOf(pairs: readonly (readonly [boolean, boolean])[]): Counts {
  const count = (is: boolean, found: boolean): number =>
    pairs.filter((pair) => pair[0] === is && pair[1] === found).length
  return { right: count(true, true), missed: count(true, false), wrong: count(false, true) }
}

function recall({ right, missed }: Counts): number {
  return right / Math.max(1, right + missed)
}

function precision({ right, wrong }: Counts): number {
  return right / Math.max(1, right + wrong)
}

function figures(name: string, counts: Counts): string {
  const { right, missed, wrong } = counts
  return `${name}: recall ${recall(counts).toFixed(2)} precision ${precision(counts).toFixed(2)} (${right} right, ${missed} missed, ${wrong} wrong)`
}
