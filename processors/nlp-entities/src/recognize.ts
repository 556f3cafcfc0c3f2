import type { Entity, Span } from './entity.ts'
import { knownSpans, nameEnd } from './gazetteer.ts'
import { PLAIN_WORDS } from './lists/signs.ts'
import { nameSpans } from './name-spans.ts'
import { AMOUNT_PATTERNS } from './rules/amount-patterns.ts'
import { BARE_YEAR, DATE_PATTERNS } from './rules/date-patterns.ts'
import { identifierSpans } from './rules/identifier-patterns.ts'
import { NAME_PATTERNS } from './rules/name-patterns.ts'
import { patternSpans } from './rules/pattern-spans.ts'
import { TIME_PATTERNS } from './rules/time-patterns.ts'
import { type Term, tagText } from './tag-text.ts'

/** Matches words too long to be names, on which the tagger would spend much time. */
const ENDLESS_WORD = /\S{80,}/gu

/** Returns the entities of a text in its order, without overlaps. */
export function recognize(text: string): readonly Span[] {
  // Lone surrogates would split the characters after them. The length stays, so that positions fit the original text.
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

/** Returns whether a known name is an everyday word at the beginning of a sentence: `Nice to meet you`. */
function isPlainWord({ start, end }: Span, terms: readonly Term[]): boolean {
  const [first] = terms
  if (first === undefined || first.start !== start || first.end !== end) return false
  return PLAIN_WORDS.has(first.text) && !first.tags.has('ProperNoun')
}

/** Resolves overlaps: the longest span stays, among equals the first in the list. The result is in the text's order. */
export function settleSpans(spans: readonly Span[]): readonly Span[] {
  const ranked = spans.filter(({ start, end }) => end > start).toSorted((one, other) => length(other) - length(one))
  const taken = new Set<number>()
  const kept: Span[] = []
  for (const span of ranked) {
    if (isTaken(span, taken)) continue
    for (let at = span.start; at < span.end; at += 1) taken.add(at)
    kept.push(span)
  }
  return kept.toSorted((one, other) => one.start - other.start)
}

/** Returns whether a span overlaps a kept span. Kept spans are at least as long, so each covers an end of this span. */
function isTaken({ start, end }: Span, taken: ReadonlySet<number>): boolean {
  return taken.has(start) || taken.has(end - 1)
}

function length({ start, end }: Span): number {
  return end - start
}

const MIN_LENGTH = 3

/** Returns people mentioned by their last name alone, before or after the whole name. */
function surnameSpans(text: string, terms: readonly Term[], names: readonly Span[]): readonly Span[] {
  const surnames = new Set(names.filter(({ label }) => label === 'PERSON').map((span) => surnameOf(text, span)))
  return terms
    .map(({ start, end }): Span => ({ start, end: nameEnd(text, end), label: 'PERSON' }))
    .filter(({ start, end }) => surnames.has(text.slice(start, end)))
}

/** Returns the last word of a name of several words; empty when it is too short to identify a person. */
function surnameOf(text: string, { start, end }: Span): string {
  const name = text.slice(start, end)
  const at = name.lastIndexOf(' ')
  const surname = name.slice(at + 1)
  return at < 0 || surname.length < MIN_LENGTH || !/^\p{Lu}\p{Ll}/u.test(surname) ? '' : surname
}

/** Returns the entities of a text in the record's form. */
export function recognizeText(text: string): readonly Entity[] {
  return recognize(text).map(({ start, end, label }) => ({ text: text.slice(start, end), label }))
}
