import { CATEGORIES, type Category, type Scores, scoresOf } from './scores.ts'

export type Activation = 'sigmoid' | 'softmax' | 'none'

/** Models' other names for the six categories. */
const OTHER_NAMES: ReadonlyMap<string, Category> = new Map([
  ['toxic', 'toxicity'],
  ['severe_toxic', 'severe_toxicity'],
  ['identity_hate', 'identity_attack'],
])

/** Maps each output of a model to its category, by the model's labels; undefined for other labels. */
export function labelCategories(
  labels: readonly string[],
  named: Readonly<Record<string, Category>>,
): readonly (Category | undefined)[] {
  const given = new Map(Object.entries(named))
  return labels.map((label) => {
    const name = label.toLowerCase()
    return given.get(label) ?? CATEGORIES.find((category) => category === name) ?? OTHER_NAMES.get(name)
  })
}

/** Returns the scores in one row of a model's outputs. */
export function outputScores(
  row: readonly number[],
  categories: readonly (Category | undefined)[],
  activation: Activation,
): Scores {
  const values = activate(row, activation)
  return scoresOf((wanted) =>
    Math.max(0, ...values.filter((_, index) => categories[index] === wanted).map((value) => Math.min(1, value))),
  )
}

function activate(row: readonly number[], activation: Activation): readonly number[] {
  switch (activation) {
    case 'sigmoid':
      return row.map((value) => 1 / (1 + Math.exp(-value)))
    case 'softmax': {
      const highest = Math.max(...row)
      const powers = row.map((value) => Math.exp(value - highest))
      const sum = powers.reduce((total, power) => total + power, 0)
      return powers.map((power) => power / sum)
    }
    case 'none':
      return row
    default:
      return activation satisfies never
  }
}
