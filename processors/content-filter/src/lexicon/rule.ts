import type { Category, Scores } from '../scores.ts'

/**
 * One line of the lexicon. Elements of a pattern, between blanks: `word`, `one|other`, `@class` (also among others),
 * `[optional]`, `*any|number|of|these` (up to five), `~n` = up to n words of any kind, `^` and `$` = where a sentence begins
 * and where it or a part of it ends, `!word` = a word that a harmless phrase takes out of the others' sight.
 */
export type Rule = { readonly pattern: string; readonly scores: Partial<Scores> }

/** Rules with the same scores, one a line. Where toxicity isn't said, it is that of the highest other score. */
export function rules(scores: Partial<Scores>, lines: string): readonly Rule[] {
  const all = { toxicity: Math.max(0, ...Object.values(scores)), ...scores }
  return listOf(lines, '\n').map((pattern) => ({ pattern, scores: all }))
}

/** Phrases that are harmless whatever their words are elsewhere. */
export function harmless(lines: string): readonly Rule[] {
  return listOf(lines, '\n').map((pattern) => ({ pattern, scores: {} }))
}

export function wordsOf(text: string): readonly string[] {
  return text.split(/\s+/).filter((word) => word !== '')
}

export function entriesOf(scores: Partial<Scores>): readonly (readonly [Category, number])[] {
  const { toxicity, severe_toxicity, obscene, threat, insult, identity_attack } = scores
  return (
    [
      ['toxicity', toxicity],
      ['severe_toxicity', severe_toxicity],
      ['obscene', obscene],
      ['threat', threat],
      ['insult', insult],
      ['identity_attack', identity_attack],
    ] as const
  ).flatMap(([category, score]) => (score === undefined ? [] : [[category, score] as const]))
}

function listOf(text: string, separator: string): readonly string[] {
  return text
    .split(separator)
    .map((line) => line.trim())
    .filter((line) => line !== '')
}
