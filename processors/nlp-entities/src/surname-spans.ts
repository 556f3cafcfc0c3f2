import type { Span } from './entity.ts'
import { nameEnd } from './gazetteer.ts'
import type { Term } from './tag-text.ts'

const MIN_LENGTH = 3

/** The people of a text where they come by their last names alone, before or after the whole name. */
export function surnameSpans(text: string, terms: readonly Term[], names: readonly Span[]): readonly Span[] {
  const surnames = new Set(names.filter(({ label }) => label === 'PERSON').map((span) => surnameOf(text, span)))
  return terms
    .map(({ start, end }): Span => ({ start, end: nameEnd(text, end), label: 'PERSON' }))
    .filter(({ start, end }) => surnames.has(text.slice(start, end)))
}

/** The last word of a name of several; empty where it is too short to tell a person. */
function surnameOf(text: string, { start, end }: Span): string {
  const name = text.slice(start, end)
  const at = name.lastIndexOf(' ')
  const surname = name.slice(at + 1)
  return at < 0 || surname.length < MIN_LENGTH || !/^\p{Lu}\p{Ll}/u.test(surname) ? '' : surname
}
