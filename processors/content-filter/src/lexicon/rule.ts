import type { Language } from '../language.ts'
import type { Category, Scores } from '../scores.ts'

/**
 * One line of the lexicon. Elements of a pattern, between blanks: `word`, `one|other`, `@class` (also among others),
 * `[optional]`, `*any|number|of|these` (up to five), `~n` = up to n words of any kind, `^` and `$` = the beginning of a
 * sentence and the end of it or of a part of it, `!word` = a word that a harmless phrase hides from other rules. A line
 * that begins with `|` adds alternatives to the line before, one that begins with `+` adds elements.
 */
export type Rule = {
  readonly pattern: string
  readonly scores: Partial<Scores>
  /** The rule applies only to sentences of this language or of an unknown language. */
  readonly language?: Language
  /** A text that the rule must find. */
  readonly example?: string
}

/**
 * Makes rules for all languages with the same scores, one per line. If `scores` has no toxicity, the rules' toxicity is
 * the highest other score.
 */
export function rules(scores: Partial<Scores>, lines: string): readonly Rule[] {
  const all = { toxicity: Math.max(0, ...Object.values(scores)), ...scores }
  return patternsOf(lines).map((pattern) => ({ pattern, scores: all }))
}

/** Makes rules for sentences of one language; a rule must find the text after `#`. */
export function rulesIn(language: Language, scores: Partial<Scores>, lines: string): readonly Rule[] {
  return rules(scores, lines).map((rule) => {
    const [pattern = '', example = ''] = rule.pattern.split(/ +# +/)
    return { ...rule, pattern, language, ...(example === '' ? {} : { example }) }
  })
}

/** Makes harmless phrases, which hide their words from other rules. */
export function harmless(lines: string): readonly Rule[] {
  return patternsOf(lines).map((pattern) => ({ pattern, scores: {} }))
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

/** Returns each word with each ending, for inflected adjectives. */
export function withEndings(words: string, endings: readonly string[]): readonly string[] {
  return wordsOf(words).flatMap((word) => endings.map((ending) => `${word}${ending}`))
}

function patternsOf(lines: string): readonly string[] {
  return lines
    .replace(/\n\s*\|/g, '|')
    .replace(/\n\s*(?:\+|(?=#)) */g, ' ')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}
