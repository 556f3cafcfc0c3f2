import type { Label } from './entity.ts'
import { labelOfName } from './gazetteer.ts'
import { NOT_AN_ORGANIZATION } from './lists/acronyms.ts'
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
import type { Term } from './tag-text.ts'

/** A name with the signs of what it is. */
export type Name = {
  readonly text: string
  readonly terms: readonly Term[]
  /** A title or trade stands before it. */
  readonly titled: boolean
  readonly opensSentence: boolean
  /** In a heading every word has a capital, so that capitals tell nothing. */
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
const AFTER_A_PERSON = new Set(['who', 'whose', 'himself', 'herself', 'was', 'born'])

/** What a capitalized name is; undefined where nothing tells. */
export function classifyName(name: Name): Label | undefined {
  return (
    labelOfName(name.text) ??
    labelByForm(name.terms.map(({ text }) => text)) ??
    labelOfPerson(name) ??
    labelByPlace(name)
  )
}

/** By a word of the name itself: `… University`, `Bank of …`, `Lake …`. */
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

/** By the words around it, and what the tagger makes of it. */
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
  if (PLACE_BEFORE.has(before) && terms.length < 3 && text.length > 2) return 'GPE'
  if (terms.length === 1) return opensSentence || !terms.every(isUnknown) ? undefined : 'ORG'
  const known = labelOfName(terms[0]?.text ?? '')
  if (terms.length > 3 || (known !== undefined && known !== 'PERSON')) return undefined
  return terms.every(isUnknown) ? 'PERSON' : undefined
}

function isAcronym(word: string): boolean {
  return ACRONYM.test(word) && !ROMAN.test(word)
}

/** A word the tagger's dictionary doesn't have: it knows it for a name by its capital only. */
function isUnknown({ tags }: Term): boolean {
  return tags.has('ProperNoun')
}
