import type { Language } from '../language.ts'
import { compilePattern, type Element, firstWords, rarestWords } from '../pattern.ts'
import type { Category } from '../scores.ts'
import { CLASSES } from './classes.ts'
import { FRENCH } from './french.ts'
import { GERMAN } from './german.ts'
import { HARMLESS } from './harmless.ts'
import { IDENTITY } from './identity.ts'
import { INSULTS } from './insults.ts'
import { PROFANITY } from './profanity.ts'
import { entriesOf, type Rule } from './rule.ts'
import { SEXUAL } from './sexual.ts'
import { SPANISH } from './spanish.ts'
import { THREATS } from './threats.ts'

export type CompiledRule = {
  readonly elements: readonly Element[]
  readonly scores: readonly (readonly [Category, number])[]
  readonly language: Language | undefined
}

export type RuleIndex = {
  /** Rules by the words they can begin with. */
  readonly byFirst: ReadonlyMap<string, readonly CompiledRule[]>
  /** Each rule by the rarest words one of which it needs: a text without them needs no look at it. */
  readonly byRarest: ReadonlyMap<string, readonly CompiledRule[]>
}

export type Lexicon = {
  readonly harmless: RuleIndex
  readonly scored: RuleIndex
  /** Every word a rule asks for. */
  readonly vocabulary: ReadonlySet<string>
}

/** All rules that score. */
export const SCORED: readonly Rule[] = [
  ...PROFANITY,
  ...SEXUAL,
  ...INSULTS,
  ...THREATS,
  ...IDENTITY,
  ...GERMAN,
  ...FRENCH,
  ...SPANISH,
]

/** Compiles the rules; a few milliseconds, once a program. */
export function compileLexicon(rules: readonly Rule[] = SCORED): Lexicon {
  const harmless = HARMLESS.map(compileRule)
  const scored = rules.map(compileRule)
  return {
    harmless: indexOf(harmless),
    scored: indexOf(scored),
    vocabulary: new Set(
      [...harmless, ...scored].flatMap(({ elements }) =>
        elements.flatMap((element) => ('words' in element ? [...element.words] : [])),
      ),
    ),
  }
}

function compileRule({ pattern, scores, language }: Rule): CompiledRule {
  return { elements: compilePattern(pattern, CLASSES), scores: entriesOf(scores), language }
}

function indexOf(rules: readonly CompiledRule[]): RuleIndex {
  return {
    byFirst: grouped(rules, ({ elements }) => firstWords(elements)),
    byRarest: grouped(rules, ({ elements }) => rarestWords(elements)),
  }
}

function grouped(
  rules: readonly CompiledRule[],
  wordsOf: (rule: CompiledRule) => ReadonlySet<string>,
): ReadonlyMap<string, readonly CompiledRule[]> {
  const groups = new Map<string, CompiledRule[]>()
  for (const rule of rules) {
    for (const word of wordsOf(rule)) {
      const there = groups.get(word)
      if (there === undefined) groups.set(word, [rule])
      else there.push(rule)
    }
  }
  return groups
}
