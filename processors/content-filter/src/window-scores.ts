import { type Language, languagesOf } from './language.ts'
import type { CompiledRule, Lexicon, RuleIndex } from './lexicon/lexicon.ts'
import { type Match, matchAt } from './match.ts'
import { CATEGORIES, type Category, NO_SCORES, type Scores, scoresOf } from './scores.ts'
import type { Window } from './word-windows.ts'

const NEGATIONS: ReadonlySet<string> = new Set([
  'wrong',
  'false',
  'untrue',
  'myth',
  'not',
  'never',
  'nor',
  'without',
  'hardly',
  'nicht',
  'kein',
  'keine',
  'no',
  'pas',
  'nunca',
])
/** Words after which `not` doesn't negate: not only, not even, why not just. */
const STRENGTHEN: ReadonlySet<string> = new Set(['only', 'just', 'even', 'merely', 'simply', 'wait'])
const NEGATION_REACH = 4
const ABOUT_REACH = 14
const SHORT_QUOTE = 2
const ADDRESS: ReadonlySet<string> = new Set(
  'you your yourself du dich dein deine ihr euch tu te ton ta tes toi vous votre eres sois tus os'.split(' '),
)
/** The factor for the score of a quotation under discussion, which is then below `HINT`. */
const ABOUT_FACTOR = 0.45
const NEGATED_FACTOR = 0.2
/** The least score of a match that ends with a disguised word, since writers don't disguise harmless words. */
const DISGUISED_AT_LEAST = 0.6
/** The span in words within which hits of a sentence add up. */
const SENTENCE_REACH = 40
/** A hit below this score is a hint; hints alone don't reach the usual threshold. */
const HINT = 0.5
const HINTS_AT_MOST = 0.48
const AT_MOST = 0.995
/** Categories whose scores negation doesn't lower: a swear word stays one after `not`. */
const NOT_NEGATED: ReadonlySet<Category> = new Set(['obscene'])

/** The hits of a sentence. `none`: the product of 1 minus each hit, as if hits were independent; `top`: the highest hit. */
type Tally = { none: Record<Category, number>; top: Record<Category, number> }

/** Returns the scores of one window: the hits of one sentence add up, and the highest sentence counts. */
export function windowScores(window: Window, lexicon: Lexicon): Scores {
  const text = { ...window, words: visibleWords(window, lexicon) }
  let best = NO_SCORES
  let tally = newTally()
  let last = 0
  const rules = rulesFor(text.words, lexicon.scored)
  const languages = languagesBySentence(window)
  text.words.forEach((word, start) => {
    if (text.ends[start - 1] === true || start - last > SENTENCE_REACH) {
      if (last >= 0) best = better(best, tally)
      tally = newTally()
    }
    for (const rule of lexicon.scored.byFirst.get(word) ?? []) {
      if (!rules.has(rule) || (rule.language !== undefined && languages[start]?.has(rule.language) !== true)) continue
      const match = matchAt(rule.elements, text, start)
      if (match === undefined) continue
      add(tally, rule, factors(text, start, match))
      last = start
    }
  })
  return better(best, tally)
}

/**
 * Returns for each word the languages that its sentence may be in, since an insult in one language is harmless in
 * another.
 */
function languagesBySentence({ words, ends }: Window): readonly ReadonlySet<Language>[] {
  const languages: ReadonlySet<Language>[] = []
  for (let from = 0; from < words.length; ) {
    const last = Math.min(words.length, from + SENTENCE_REACH)
    let to = from + 1
    while (to < last && ends[to - 1] !== true) to += 1
    const found = languagesOf(words.slice(from, to))
    for (; from < to; from += 1) languages.push(found)
  }
  return languages
}

function visibleWords(window: Window, lexicon: Lexicon): readonly string[] {
  const hidden = new Set<number>()
  const rules = rulesFor(window.words, lexicon.harmless)
  window.words.forEach((word, start) => {
    for (const rule of lexicon.harmless.byFirst.get(word) ?? []) {
      if (!rules.has(rule)) continue
      for (const index of matchAt(rule.elements, window, start)?.hidden ?? []) hidden.add(index)
    }
  })
  return hidden.size === 0 ? window.words : window.words.map((word, index) => (hidden.has(index) ? '' : word))
}

/** Returns the rules with a word in the window; trying all rules at every word would take most of the time. */
function rulesFor(words: readonly string[], index: RuleIndex): ReadonlySet<CompiledRule> {
  const rules = new Set<CompiledRule>()
  for (const word of new Set(words)) for (const rule of index.byRarest.get(word) ?? []) rules.add(rule)
  return rules
}

type Factors = { readonly all: number; readonly negated: number; readonly least: number }

function factors(window: Window, start: number, match: Match): Factors {
  return {
    all: isTalkedAbout(window, start, match.end) ? ABOUT_FACTOR : 1,
    negated: isNegated(window, start, match.passed) ? NEGATED_FACTOR : 1,
    least: window.disguised[match.end - 1] === true ? DISGUISED_AT_LEAST : 0,
  }
}

function isNegated(window: Window, start: number, passed: readonly number[]): boolean {
  if (passed.some((index) => negates(window.words, index))) return true
  for (let index = start - 1; index >= Math.max(0, start - NEGATION_REACH); index -= 1) {
    if (window.ends[index] === true || window.pauses[index] === true || window.words[index] === 'you') return false
    if (negates(window.words, index)) return true
  }
  return false
}

function negates(words: readonly string[], index: number): boolean {
  return NEGATIONS.has(words[index] ?? '') && !STRENGTHEN.has(words[index + 1] ?? '')
}

function isTalkedAbout(window: Window, start: number, end: number): boolean {
  if (window.quoted[start] !== true || window.quoted[end - 1] !== true) return false
  let isAddressed = false
  for (
    let index = Math.max(0, start - ABOUT_REACH);
    index < Math.min(window.words.length, end + ABOUT_REACH);
    index += 1
  ) {
    if (window.quoted[index] === true) continue
    if (ABOUT_WORDS.has(window.words[index] ?? '')) return true
    isAddressed ||= ADDRESS.has(window.words[index] ?? '')
  }
  // A quotation of one or two words that addresses no person is a question about the word.
  return end - start <= SHORT_QUOTE && !isAddressed
}

function newTally(): Tally {
  return { none: { ...scoresOf(() => 1) }, top: { ...NO_SCORES } }
}

function add(tally: Tally, rule: CompiledRule, { all, negated, least }: Factors): void {
  for (const [category, score] of rule.scores) {
    const value = Math.max(score, least) * all * (NOT_NEGATED.has(category) ? 1 : negated)
    tally.none[category] *= 1 - value
    tally.top[category] = Math.max(tally.top[category], value)
  }
}

function better(best: Scores, tally: Tally): Scores {
  if (CATEGORIES.every((category) => tally.top[category] === 0)) return best
  return scoresOf((category) => {
    const top = tally.top[category]
    // Rules overlap, so several hits count less than independent evidence.
    const sum = top + (1 - tally.none[category] - top) / 2
    return Math.max(best[category], Math.round(Math.min(sum, top > HINT ? AT_MOST : HINTS_AT_MOST) * 1_000) / 1_000)
  })
}

/** Words around a quotation that show that it is under discussion; folded. */
const ABOUT_WORDS: ReadonlySet<string> = new Set(
  `word words text texts texte texto textos term terms phrase slur slurs insult insults called calls call calling said says say saying told mean means meaning translate
  translation quote quoted quotes quoting novel book character characters villain title titles song lyrics lyric movie film scene play poem
  define definition etymology classify detect label example examples toxic offensive profanity reported report historical context
  article headline moderation flagged comment wrote shouted yelled screamed yelling shouting written graffiti sign read reads
  testimony witness court victim received bullied bully harassed sentence line dialogue write answer reply respond review customer
  english german french spanish italian swedish danish norwegian dutch polish portuguese latin russian japanese korean chinese turkish
  arabic greek welsh language languages rhyme rhymes swear

  recorded band sings sing sang album directed plot summary summarise summarize chart charts correct wrong synonym synonyms origin
  pronounce rude hurtful sentiment users user comes shout author story musical

  wort worter begriff ausdruck satz zitat ubersetze ubersetzen heisst bedeutet bedeuten herkunft stammt woher nannte genannt nennt
  nennen schrieb schreibt sagt sagte sagen rief beleidigung schimpfwort buch roman lied titel singt sang spielt handlung zeile
  kommentar antworten antwort bewertung beispiel autor figur plural synonym synonyme geht rolle hat

  mot mots terme expression citation traduis traduire signifie dire veut origine vient appelle traite dit ecrit dit-on crie insulte
  injure livre chanson titre chante joue parle resume repondre reponse commentaire avis exemple auteur personnage pluriel synonymes
  disent repond laquelle finit realise compose

  palabra palabras termino expresion cita traduce traducir significa decir dice dicen viene origen llamo llaman llamar llama escribio
  escribir dijo grito insulto pelicula libro cancion titulo canta trata resume responder respuesta contestamos comentario resena ejemplo
  personaje sinonimos dirigio actua acaba`.split(/\s+/),
)
