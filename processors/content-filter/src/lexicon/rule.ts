import type { Language } from '../language.ts'
import type { Category, Scores } from '../scores.ts'

/**
 * One line of the lexicon. Elements of a pattern, between blanks: `word`, `one|other`, `@class` (also among others),
 * `[optional]`, `*any|number|of|these` (up to five), `~n` = up to n words of any kind, `^` and `$` = where a sentence begins
 * and where it or a part of it ends, `!word` = a word that a harmless phrase takes out of the others' sight. A line that begins with
 * `|` goes on with the alternatives of the line before, one that begins with `+` with its elements.
 */
export type Rule = {
  readonly pattern: string
  readonly scores: Partial<Scores>
  /** The rule is only for sentences of this language, or of none that can be told. */
  readonly language?: Language
  /** A text that the rule must find. */
  readonly example?: string
}

/** Rules for all languages with the same scores, one a line. Where toxicity isn't said, it is that of the highest other score. */
export function rules(scores: Partial<Scores>, lines: string): readonly Rule[] {
  const all = { toxicity: Math.max(0, ...Object.values(scores)), ...scores }
  return patternsOf(lines).map((pattern) => ({ pattern, scores: all }))
}

/** Rules for sentences of one language; after `#` may stand a text that the rule must find. */
export function rulesIn(language: Language, scores: Partial<Scores>, lines: string): readonly Rule[] {
  return rules(scores, lines).map((rule) => {
    const [pattern = '', example = ''] = rule.pattern.split(/ +# +/)
    return { ...rule, pattern, language, ...(example === '' ? {} : { example }) }
  })
}

/** Phrases that are harmless whatever their words are elsewhere. */
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

/** Each word with each ending, as adjectives have them. */
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
