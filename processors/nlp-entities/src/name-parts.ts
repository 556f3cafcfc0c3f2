import { labelByForm, type Name } from './classify-name.ts'
import { labelOfName } from './gazetteer.ts'
import { PERSON_TITLES } from './lists/signs.ts'
import { type Candidate, isCapital } from './name-candidates.ts'
import type { Term } from './tag-text.ts'

/** Titles and trades in small letters, before a capitalized person's name. */
const TRADES = new Set(
  `president chancellor minister senator ceo professor actor actress singer director coach founder co-founder cofounder author physicist chemist
mathematician philosopher poet painter composer novelist journalist lawyer scientist king queen pope mayor governor judge inspector captain
doctor writer artist architect economist historian striker goalkeeper biologist astronaut wife husband daughter son brother sister
inventor explorer congressman spokesman spokeswoman spokesperson engineer analyst researcher chairman rapper comedian pianist dr mr mrs ms prof i'm named`
    .trim()
    .split(/\s+/),
)
export type Part = Pick<Name, 'terms' | 'titled' | 'opensSentence' | 'before' | 'after'>

/**
 * Splits a candidate at titles, and after a country, people or company that precedes a person's name: `US President Joe
 * Biden`.
 */
export function nameParts({ terms, before, after, opensSentence }: Candidate): readonly Part[] {
  const outer = { before: before?.text.toLowerCase() ?? '', after: after?.text ?? '' }
  const whole: Part = { terms, titled: TRADES.has(outer.before), opensSentence, ...outer }
  if (labelByForm(terms.map(({ text }) => text)) !== undefined) return [whole]
  const parts: Part[] = []
  let run: Term[] = []
  let titled = whole.titled
  const finish = (): void => {
    if (run.length > 0)
      parts.push({ ...whole, terms: run, titled, opensSentence: opensSentence && run[0] === terms[0] })
    run = []
  }
  for (const term of terms) {
    if (isTitle(term)) {
      finish()
      titled = true
      continue
    }
    if (
      (term.firstName || term.tags.has('FirstName')) &&
      run.length > 0 &&
      labelOfName(run.map(({ text }) => text).join(' ')) !== undefined
    ) {
      finish()
      titled = false
    }
    run.push(term)
  }
  finish()
  return parts.map(trimmed).filter((part) => part.terms.length > 0)
}

function isTitle({ text }: Term): boolean {
  return PERSON_TITLES.has(text.replace(/\.$/, ''))
}

/** Removes linking words that a split left at the ends. */
function trimmed(part: Part): Part {
  const first = part.terms.findIndex(({ text }) => isCapital(text))
  const last = part.terms.findLastIndex(
    ({ text, start }, at) => isCapital(text) || /\d/.test(text) || isSecondSyllable(part.terms[at - 1], start),
  )
  return first < 0 ? { ...part, terms: [] } : { ...part, terms: part.terms.slice(first, last + 1) }
}

/** Returns true for `jun` of `Kim Min-jun`, directly after a hyphen. */
function isSecondSyllable(before: Term | undefined, start: number): boolean {
  return before?.tags.has('Hyphenated') === true && start === before.end + 1
}
