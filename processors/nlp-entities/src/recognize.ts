import type { Span } from './entity.ts'
import { knownSpans } from './gazetteer.ts'
import { PLAIN_WORDS } from './lists/signs.ts'
import { nameSpans } from './name-spans.ts'
import { AMOUNT_PATTERNS } from './rules/amount-patterns.ts'
import { BARE_YEAR, DATE_PATTERNS } from './rules/date-patterns.ts'
import { identifierSpans } from './rules/identifier-patterns.ts'
import { NAME_PATTERNS } from './rules/name-patterns.ts'
import { patternSpans } from './rules/pattern-spans.ts'
import { TIME_PATTERNS } from './rules/time-patterns.ts'
import { settleSpans } from './settle-spans.ts'
import { surnameSpans } from './surname-spans.ts'
import { type Term, tagText } from './tag-text.ts'

/** A word with neither meaning nor end, on which the tagger would spend its time. */
const ENDLESS_WORD = /\S{80,}/gu

/** What a text names, in its order, without overlaps. */
export function recognize(text: string): readonly Span[] {
  // The same length, so that places stay; lone surrogates would split what follows them.
  const clean = text.toWellFormed().replaceAll(ENDLESS_WORD, (word) => ' '.repeat(word.length))
  const sentences = tagText(clean)
  const anyCase = !/\p{Lu}\p{L}/u.test(clean)
  const names = sentences.flatMap((terms) => nameSpans(clean, terms))
  return settleSpans([
    ...identifierSpans(clean),
    ...patternSpans(clean, NAME_PATTERNS),
    ...sentences.flatMap((terms) => knownSpans(clean, terms, anyCase).filter((span) => !isPlainWord(span, terms))),
    ...patternSpans(clean, [...DATE_PATTERNS, BARE_YEAR, ...TIME_PATTERNS, ...AMOUNT_PATTERNS]),
    ...surnameSpans(clean, sentences.flat(), names),
    ...names,
  ])
}

/** `Nice to meet you`: a known name that is another word at the beginning of a sentence. */
function isPlainWord({ start, end }: Span, terms: readonly Term[]): boolean {
  const [first] = terms
  if (first === undefined || first.start !== start || first.end !== end) return false
  return PLAIN_WORDS.has(first.text) && !first.tags.has('ProperNoun')
}
