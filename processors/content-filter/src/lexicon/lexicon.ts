import type { Language } from '../language.ts'
import { compilePattern, type Element, firstWords, rarestWords } from '../pattern.ts'
import type { Category } from '../scores.ts'
import { CLASSES } from './classes.ts'
import { FRENCH } from './french.ts'
import { GERMAN } from './german.ts'
import { HARMLESS } from './harmless.ts'
import { IDENTITY } from './identity.ts'
import { INSULTS } from './insults.ts'
import { entriesOf, type Rule, wordsOf } from './rule.ts'
import { PROFANITY, SEXUAL } from './sexual.ts'
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
  /** Each rule by its rarest required words: a text without any of them can't match and is skipped. */
  readonly byRarest: ReadonlyMap<string, readonly CompiledRule[]>
}

export type Lexicon = {
  readonly harmless: RuleIndex
  readonly scored: RuleIndex
  /** Every word in a rule. */
  readonly vocabulary: ReadonlySet<string>
}

/** All rules with scores. */
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

/** Compiles the rules; takes a few milliseconds, once per program. */
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

/** Words that people write with a masked letter, the most frequent first. */
export const MASKABLE: readonly string[] = wordsOf(`
  fuck shit bitch cunt ass asshole dick cock pussy bastard whore slut twat prick wanker nigger nigga faggot fag kike spic chink
  retard retarded tranny fucking fucker fucked fuckin motherfucker motherfucking bullshit shitty shithead dickhead dumbass arsehole bitches
  whores sluts niggers faggots cunts bastards kill killed killing die rape raped murder hate idiot idiots moron stupid dumb loser losers ugly
  damn crap tits porn hell suck sucks trash scum pathetic worthless piss goddamn douche jackass cocksucker queer dyke coon paki
  scheisse arschloch hurensohn fotze puta mierda pendejo cabron joder merde putain connard salope encule
  schlampe wichser fick fickt ficken fresse trottel missgeburt nutte drecksau spast verpiss
  pute connasse foutre abruti batard cretin enculer gueule niquer fils
  gilipollas maricon imbecil estupido zorra polla verga matar
`)

/** Vulgar words that are rejoined when a blank cuts them in two. */
export const CUT_IN_TWO: ReadonlySet<string> = new Set(
  wordsOf(`fuck fucking fucker fucked shit shitty bullshit bitch cunt asshole dickhead pussy bastard whore slut twat wanker nigger
  nigga faggot retard retarded idiot moron stupid motherfucker kill murder dumbass loser stfu kys`),
)
/** Halves that are also words. */
export const HALVES: ReadonlySet<string> = new Set(
  wordsOf(`a i as who it is in on of or re he she me my so to do be by no up us we an at if re ed ing er hit ill stup did dumb
  mother nig kil bit ch pus sy reta lose mur der ki got bull sh ass`).filter(
    (word) => !['stup', 'nig', 'kil', 'ch', 'pus', 'sy', 'sh', 'ki', 'mur'].includes(word),
  ),
)
