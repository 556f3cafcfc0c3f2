import type { Label } from './entity.ts'
import { labelOfName } from './gazetteer.ts'
import {
  COMPANY_VERBS,
  EVENT_ENDS,
  EVENT_HEADS,
  FACILITY_ENDS,
  FACILITY_HEADS,
  LAND_ENDS,
  LAND_HEADS,
  LAW_ENDS,
  LAW_HEADS,
  ORGANIZATION_ENDS,
  ORGANIZATION_HEADS,
  PLACE_HEADS,
  PLACES_OF_PEOPLE,
  PRIZE_ENDS,
  SPEECH,
} from './lists/signs.ts'
import { NOT_AN_ORGANIZATION, TECHNICAL } from './lists/technical.ts'
import type { Term } from './tag-text.ts'

/** A name with the hints at its label. */
export type Name = {
  readonly text: string
  readonly terms: readonly Term[]
  /** True when a title or trade precedes the name. */
  readonly titled: boolean
  readonly opensSentence: boolean
  /** In a heading every word has a capital, so capitals are no hint. */
  readonly inHeading: boolean
  readonly before: string
  readonly after: string
}

const ENDS: readonly (readonly [Label, ReadonlySet<string>])[] = [
  ['ORG', ORGANIZATION_ENDS],
  ['FAC', FACILITY_ENDS],
  ['LOC', LAND_ENDS],
  ['EVENT', EVENT_ENDS],
  ['LAW', LAW_ENDS],
  ['WORK_OF_ART', PRIZE_ENDS],
]
const HEADS: readonly (readonly [Label, ReadonlySet<string>])[] = [
  ['ORG', ORGANIZATION_HEADS],
  ['FAC', FACILITY_HEADS],
  ['LOC', LAND_HEADS],
  ['EVENT', EVENT_HEADS],
  ['LAW', LAW_HEADS],
  ['GPE', PLACE_HEADS],
]
const ACRONYM = /^(?:[A-Z][A-Z&]{1,6}|(?:[A-Z]\.){2,5}[A-Z]?)$/
const ROMAN = /^[IVXLC]+$/
const PLACE_BEFORE = new Set([
  'in',
  'from',
  'near',
  'outside',
  'across',
  'to',
  'toward',
  'towards',
  'around',
  'visit',
  'visited',
  'into',
])
/** No hint before a name of several words, since it may be a person (`a mail from`) or a place (`a train from`). */
const SOURCE_OR_AIM = new Set(['from', 'to', 'toward', 'towards'])
/** An unknown capitalized word is a tool or a person as often as a company; these words before it suggest a company. */
const COMPANY_BEFORE = new Set(
  `at joined join joins joining company firm startup employer bank agency manufacturer retailer maker brand supplier vendor competitor
  airline insurer publisher acquired acquire buys bought founded`.split(/\s+/),
)
const AFTER_A_PERSON = new Set(['who', 'whose', 'himself', 'herself', 'was', 'born'])

/** Returns the label of a capitalized name; undefined without a hint. */
export function classifyName(name: Name): Label | undefined {
  const known = labelOfName(name.text)
  if (known === undefined && !name.titled && isTechnical(name)) return undefined
  if (hasHyphenatedGivenName(name)) return 'PERSON'
  return known ?? labelByForm(name.terms.map(({ text }) => text)) ?? labelOfPerson(name) ?? labelByPlace(name)
}

/** Labels by a word of the name itself: `… University`, `Bank of …`, `Lake …`. */
export function labelByForm(words: readonly string[]): Label | undefined {
  const [first = ''] = words
  const last = words.at(-1) ?? ''
  if (words.length < 2) return undefined
  const linked = words.findIndex((word) => word === 'of' || word === 'for')
  if (linked > 0) {
    const head = words[linked - 1] ?? ''
    for (const [label, heads] of HEADS) if (heads.has(head)) return label
  }
  for (const [label, ends] of ENDS) if (ends.has(last.replace(/\.$/, ''))) return label
  if (/^(?:Mount|Mt|Lake|Cape|Gulf)$/.test(first)) return 'LOC'
  if (/^(?:Hurricane|Typhoon|Cyclone|Operation)$/.test(first)) return 'EVENT'
  if (
    /^(?:Fort|Port|San|Santa|Saint|St|New|North|South|East|West|El|Los|Las)$/.test(first) &&
    words.length === 2 &&
    first !== 'Saint'
  )
    return 'GPE'
  if (first === 'University' || first === 'Institute') return 'ORG'
  return words.includes('&') ? 'ORG' : undefined
}

function labelOfPerson({ terms, text, titled, inHeading, opensSentence }: Name): Label | undefined {
  const [first] = terms
  const words = terms.filter(({ text: word }) => /^\p{Lu}/u.test(word) && !ROMAN.test(word))
  if (first === undefined || words.length > 5) return undefined
  if (titled) return 'PERSON'
  if (terms.length === 1) {
    const named = first.tags.has('FirstName') || (first.tags.has('LastName') && !opensSentence)
    return named && !ACRONYM.test(text) ? 'PERSON' : undefined
  }
  if (first.firstName || first.tags.has('FirstName') || /^(?:\p{Lu}\.?)+$/u.test(first.text))
    return isAcronym(first.text) ? undefined : 'PERSON'
  if (
    PLACES_OF_PEOPLE.has(first.text) &&
    terms.slice(1).every(isUnknown) &&
    labelOfName(terms[1]?.text ?? '') === undefined
  )
    return 'PERSON'
  return !inHeading && words.every(({ tags }) => tags.has('Person')) ? 'PERSON' : undefined
}

/** Labels by the words around the name and by the tagger's tags. */
function labelByPlace(name: Name): Label | undefined {
  const { terms, text, before, after, inHeading, opensSentence } = name
  if (isAcronym(text)) return NOT_AN_ORGANIZATION.has(text) || inHeading ? undefined : 'ORG'
  const tagged = (tag: string): boolean => terms.every(({ tags }) => tags.has(tag))
  if (tagged('Demonym')) return 'NORP'
  if (tagged('Place')) return 'GPE'
  if (tagged('Organization')) return 'ORG'
  if (
    inHeading ||
    terms.some(({ plain }) => plain) ||
    terms.some(({ tags }) => tags.has('Verb') || tags.has('Adjective') || tags.has('Plural'))
  )
    return undefined
  if (SPEECH.has(after) || AFTER_A_PERSON.has(after)) return terms.length === 1 && opensSentence ? undefined : 'PERSON'
  if (COMPANY_VERBS.has(after)) return 'ORG'
  const single = terms.length === 1
  if (PLACE_BEFORE.has(before) && !SOURCE_OR_AIM.has(before) && terms.length < 3 && text.length > 2) return 'GPE'
  if (single) return !opensSentence && COMPANY_BEFORE.has(before) && terms.every(isUnknown) ? 'ORG' : undefined
  const known = labelOfName(terms[0]?.text ?? '')
  if (terms.length > 3 || (known !== undefined && known !== 'PERSON')) return undefined
  return terms.every((term, at) => isUnknown(term) || (at === 0 && opensSentence && isUntold(term)))
    ? 'PERSON'
    : undefined
}

/** Returns whether the tagger saw only a noun, as it does with a name at the beginning of a sentence. */
function isUntold({ tags, plain }: Term): boolean {
  return !plain && [...tags].every((tag) => tag === 'Noun' || tag === 'Singular')
}

/** Returns true for `Helm`, and for `Compare Helm` at the beginning of a sentence. */
function isTechnical({ text, terms, opensSentence }: Name): boolean {
  if (TECHNICAL.has(text)) return true
  const [first, second] = terms
  return opensSentence && terms.length === 2 && first?.firstName === false && TECHNICAL.has(second?.text ?? '')
}

/** Returns true for `Kim Min-jun` and `Hyun-woo Park`. No other candidate has a small letter after a hyphen. */
function hasHyphenatedGivenName({ text, terms }: Name): boolean {
  return (
    terms.filter((term) => /^\p{Lu}/u.test(term.text)).length > 1 && /\p{Lu}\p{Ll}+-\p{Ll}{2,6}(?!\p{L})/u.test(text)
  )
}

function isAcronym(word: string): boolean {
  return ACRONYM.test(word) && !ROMAN.test(word)
}

/** Returns whether the tagger took the word for a name by its capital alone, since its dictionary lacks it. */
function isUnknown({ tags }: Term): boolean {
  return tags.has('ProperNoun')
}
