import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readToxicityCorpus } from '@llm-gateway/test/corpus/read-corpus'
import { createBuiltInScorer } from './built-in-scorer.ts'
import { CATEGORIES } from './scores.ts'

const THRESHOLD = 0.5
const FLOOR = 0.8

type Counts = { readonly right: number; readonly missed: number; readonly wrong: number }

test('issue 4: toxicity is found with recall and precision of at least 0.8 in texts written without sight of the lexicon', async (context) => {
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
  for (const [name, count] of [...counts, ['any of them', rejected] as const]) context.diagnostic(figures(name, count))
  const toxicity = counts.get('toxicity')
  assert.ok(toxicity !== undefined && recall(toxicity) >= FLOOR && precision(toxicity) >= FLOOR)
  assert.ok(recall(rejected) >= FLOOR && precision(rejected) >= FLOOR)
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
