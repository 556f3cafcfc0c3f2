/** The six categories, in the order that a record shows them in (docs/reference/processors.md#content-filter). */
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

/** What gives texts their scores. */
export type Scorer = {
  /**
   * The highest score of each category over all of the texts, every character of them looked at. Rejects where it can't
   * tell or the signal aborts: a text nobody scored must not look like a clean one.
   */
  score(texts: readonly string[], signal: AbortSignal): Promise<Scores>
  /** False while it can't score: its model was lost and isn't back. */
  ready?(): boolean
  /** Ends what it started. */
  close(): Promise<void>
}

/** Makes scores of one rule for all categories. */
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

/** The higher score of each category. */
export function highest(a: Scores, b: Scores): Scores {
  return scoresOf((category) => Math.max(a[category], b[category]))
}

/** A score that equals the threshold passes (docs/reference/processors.md#content-filter). */
export function isOver(scores: Scores, threshold: number): boolean {
  return CATEGORIES.some((category) => scores[category] > threshold)
}

/** Why a text could not be scored; the code is a constant, nothing of the text, an address or a key is in it. */
export class ScoringError extends Error {
  readonly code: string

  constructor(code: string, options?: ErrorOptions) {
    super('text not scored', options)
    this.name = 'ScoringError'
    this.code = code
  }
}
