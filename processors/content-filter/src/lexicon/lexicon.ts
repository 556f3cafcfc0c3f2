import { compilePattern, type Element, firstWords } from '../pattern.ts'
import type { Category } from '../scores.ts'
import { CLASSES } from './classes.ts'
import { HARMLESS } from './harmless.ts'
import { IDENTITY } from './identity.ts'
import { INSULTS } from './insults.ts'
import { LANGUAGES } from './languages.ts'
import { PROFANITY } from './profanity.ts'
import { entriesOf, type Rule } from './rule.ts'
import { THREATS } from './threats.ts'

export type CompiledRule = {
  readonly elements: readonly Element[]
  readonly scores: readonly (readonly [Category, number])[]
}

/** Rules by the words they can begin with. */
export type RuleIndex = ReadonlyMap<string, readonly CompiledRule[]>

export type Lexicon = {
  readonly harmless: RuleIndex
  readonly scored: RuleIndex
  /** Every word a rule asks for. */
  readonly vocabulary: ReadonlySet<string>
}

/** Compiles the rules; a few milliseconds, once a program. */
export function compileLexicon(): Lexicon {
  const harmless = HARMLESS.map(compileRule)
  const scored = [...PROFANITY, ...INSULTS, ...THREATS, ...IDENTITY, ...LANGUAGES].map(compileRule)
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

function compileRule({ pattern, scores }: Rule): CompiledRule {
  return { elements: compilePattern(pattern, CLASSES), scores: entriesOf(scores) }
}

function indexOf(rules: readonly CompiledRule[]): RuleIndex {
  const index = new Map<string, CompiledRule[]>()
  for (const rule of rules) {
    for (const word of firstWords(rule.elements)) {
      const there = index.get(word)
      if (there === undefined) index.set(word, [rule])
      else there.push(rule)
    }
  }
  return index
}
