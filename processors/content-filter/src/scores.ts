import type { Turns } from '@llm-gateway/sdk'

/** The six categories, in the record's order (docs/reference/processors.md#content-filter). */
export const CATEGORIES = ['toxicity', 'severe_toxicity', 'obscene', 'threat', 'insult', 'identity_attack'] as const

export type Category = (typeof CATEGORIES)[number]

/** Each between 0 and 1. */
export type Scores = Readonly<Record<Category, number>>

export const NO_SCORES: Scores = {
  toxicity: 0,
  severe_toxicity: 0,
  obscene: 0,
  threat: 0,
  insult: 0,
  identity_attack: 0,
}

/** A scorer of texts. */
export type Scorer = {
  /**
   * Returns the highest score of each category over every character of the texts. Rejects when the scoring fails or the
   * signal aborts, since an unscored text must not look clean.
   */
  score(texts: readonly string[], signal: AbortSignal, turns?: Turns): Promise<Scores>
  /** Returns false while it can't score, because its model is being loaded again. */
  ready?(): boolean
  /** Stops everything that the scorer started. */
  close(): Promise<void>
}

/** Makes scores by calling a function for each category. */
export function scoresOf(score: (category: Category) => number): Scores {
  return {
    toxicity: score('toxicity'),
    severe_toxicity: score('severe_toxicity'),
    obscene: score('obscene'),
    threat: score('threat'),
    insult: score('insult'),
    identity_attack: score('identity_attack'),
  }
}

/** Returns the higher score of each category. */
export function highest(a: Scores, b: Scores): Scores {
  return scoresOf((category) => Math.max(a[category], b[category]))
}

/**
 * Returns whether a score is over the threshold; a score equal to it passes
 * (docs/reference/processors.md#content-filter).
 */
export function isOver(scores: Scores, threshold: number): boolean {
  return CATEGORIES.some((category) => scores[category] > threshold)
}

/** The reason why a text could not be scored. The code is a constant without any text, address or key. */
export class ScoringError extends Error {
  readonly code: string

  constructor(code: string, options?: ErrorOptions) {
    super('text not scored', options)
    this.name = 'ScoringError'
    this.code = code
  }
}
