import { labelOfName } from './gazetteer.ts'
import { EVENT_HEADS, FACILITY_HEADS, LAND_HEADS, LAW_HEADS, ORGANIZATION_HEADS, PLACE_HEADS } from './lists/signs.ts'
import type { Term } from './tag-text.ts'

/** Consecutive words that may be a name, with their position. */
export type Candidate = {
  readonly terms: readonly Term[]
  /** The sentence's words before and after the candidate. */
  readonly before: Term | undefined
  readonly after: Term | undefined
  readonly opensSentence: boolean
}

const HEADS = [ORGANIZATION_HEADS, FACILITY_HEADS, LAND_HEADS, EVENT_HEADS, LAW_HEADS, PLACE_HEADS]
const PARTICLES = new Set('de van von der den la le du di da dos del della bin ibn al el ter ten y zu af av'.split(' '))
/** First words of names that list their topics: `Department of Health and Human Services`. */
const PLURAL_HEADS = new Set([
  'Department',
  'Ministry',
  'Centers',
  'Office',
  'Institute',
  'College',
  'School',
  'Faculty',
  'Committee',
  'Organization',
])
/** Places named after a person: `St. Mary's Hospital`, `King's College`. */
const POSSESSED = new Set([
  'Hospital',
  'College',
  'University',
  'Cathedral',
  'Church',
  'School',
  'Bank',
  'Island',
  'Theatre',
  'Basilica',
])
/** The second half of a Korean or Chinese given name: `Min-jun`, `Ing-wen`. */
const GIVEN_NAME_END = /^\p{Ll}{2,6}$/u
const MAX_SYLLABLE = 6
/**
 * Korean and Chinese family names that are also English words; at the beginning of a sentence the tagger takes them for
 * those words.
 */
const FAMILY_WORDS = new Set(
  'An Ban Bang Chow Do Fang Go Ha He Ho Hu Long Ma Min Moon Park Rim Shin So Son Song Sun Wang Young'.split(' '),
)
/** English words after a hyphen, which aren't the second half of a given name: `Park-based`. */
const AFTER_HYPHEN = new Set(
  `based style led like born made level era wide free only area ready driven backed owned run built side shirt ray axis day type shaped
  size class bound held listed funded trained linked native style fed in on up off out to and or test tests code page file files word plan
  key keys mail phone app apps user users team teams size tier ends time term year years war pop punk rock`.split(
    /\s+/,
  ),
)
const SHORTENED = /^(?:\p{L}|St|Mt|Ft|Jr|Sr|Dr|Mr|Mrs|Ms|Prof|Gen|Col|Sen|Rep|Gov|Lt|Sgt|Capt|(?:\p{Lu}\.)+\p{Lu})$/u
const CAPITAL = /^(?:\p{Lu}|\p{Ll}{1,2}['’-]?\p{Lu}|\p{Lu}['’])/u
const GRAMMAR = [
  'Pronoun',
  'Determiner',
  'Preposition',
  'Conjunction',
  'QuestionWord',
  'Auxiliary',
  'Copula',
  'Modal',
  'Negative',
  'Expression',
]
const NOT_A_NAME_AT_THE_START = ['Verb', 'Adjective', 'Adverb', 'Value', 'Condition']
const A_NAME = ['Person', 'Place', 'Organization', 'FirstName', 'LastName', 'Demonym', 'Acronym']
const CALENDAR =
  /^(?:Today|Yesterday|Tomorrow)$|^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?$|^(?:January|February|March|April|May|June|July|August|September|October|November|December)$/
const COMPANY_AFTER_COMMA = /^(?:Inc|LLC|Ltd|Corp|Jr|Sr|LLP|PLC)$/

/**
 * Returns the runs of capitalized words of a sentence, with linking words: `University of Oxford`, `Ludwig van
 * Beethoven`.
 */
export function nameCandidates(text: string, terms: readonly Term[]): readonly Candidate[] {
  const found: Candidate[] = []
  let first = 0
  while (first < terms.length) {
    if (!isNameWord(text, terms, first)) {
      first += 1
      continue
    }
    const last = lastOf(text, terms, first)
    found.push({
      terms: terms.slice(first, last + 1),
      before: terms[first - 1],
      after: terms[last + 1],
      opensSentence: opens(text, terms, first),
    })
    first = last + 1
  }
  return found
}

export function isCapital(word: string): boolean {
  return CAPITAL.test(word)
}

/** Returns whether a word has a capital because of its place: after a full stop, a colon, a quotation mark, a bullet. */
function opens(text: string, terms: readonly Term[], at: number): boolean {
  const end = terms[at - 1]?.end
  return (
    end === undefined ||
    (/[\n:.!?"“•*|]\s*["“(*]*$/u.test(text.slice(end, terms[at]?.start)) && !SHORTENED.test(terms[at - 1]?.text ?? ''))
  )
}

function isNameWord(text: string, terms: readonly Term[], at: number): boolean {
  const term = terms[at]
  if (term === undefined || !isCapital(term.text) || CALENDAR.test(term.text)) return false
  if (isFamilyWord(terms, at) && isHyphenatedGivenName(text, terms, at + 1)) return true
  if (A_NAME.some((tag) => term.tags.has(tag))) return true
  if (GRAMMAR.some((tag) => term.tags.has(tag))) return false
  return !opens(text, terms, at) || !NOT_A_NAME_AT_THE_START.some((tag) => term.tags.has(tag))
}

function lastOf(text: string, terms: readonly Term[], first: number): number {
  let last = first
  for (let next = nextOf(text, terms, { first, last }); next !== undefined; ) {
    last = next
    next = nextOf(text, terms, { first, last })
  }
  return last
}

type WordRange = { readonly first: number; readonly last: number }

/** Returns the index of the word that continues the name, after linking words. */
function nextOf(text: string, terms: readonly Term[], { first, last }: WordRange): number | undefined {
  const end = terms[last]
  const next = terms[last + 1]
  if (end === undefined || next === undefined) return undefined
  const gap = text.slice(end.end, next.start)
  if (isNameWord(text, terms, last + 1) || (isCapital(next.text) && !CALENDAR.test(next.text) && gap === ' ')) {
    return joins(gap, end, next) ? last + 1 : undefined
  }
  if (isHyphenatedGivenName(text, terms, last)) return last + 1
  if (gap !== ' ') return undefined
  const beyond = afterLink(terms, { first, last })
  return beyond !== undefined && isOneLine(text, terms.slice(last, beyond + 1)) ? beyond : undefined
}

/** Returns whether a word is in FAMILY_WORDS and not an English article: `An Se-young`, but not `An Anglo-saxon`. */
function isFamilyWord(terms: readonly Term[], at: number): boolean {
  const word = terms[at]?.text ?? ''
  return FAMILY_WORDS.has(word) && !(word === 'An' && /^[AEIOU]/.test(terms[at + 1]?.text ?? ''))
}

/** Returns whether two words form a given name such as `Min-jun`. */
function isHyphenatedGivenName(text: string, terms: readonly Term[], at: number): boolean {
  const [start, end] = [terms[at], terms[at + 1]]
  if (start === undefined || end === undefined || text.slice(start.end, end.start) !== '-') return false
  return start.text.length <= MAX_SYLLABLE && GIVEN_NAME_END.test(end.text) && !AFTER_HYPHEN.has(end.text)
}

function joins(gap: string, end: Term, next: Term): boolean {
  if (/['’]s?$/u.test(end.text) && !(gap === ' ' && POSSESSED.has(next.text))) return false
  if (gap === ' ' || gap === '-' || gap === ' & ' || gap === '') return true
  if (gap === '. ' || gap === '.') return SHORTENED.test(end.text)
  return gap === ', ' && COMPANY_AFTER_COMMA.test(next.text)
}

/** Returns the index after `of`, `of the`, `for`, `&`, `and` or particles that belong to a name. */
function afterLink(terms: readonly Term[], { first, last }: WordRange): number | undefined {
  const run = terms.slice(first, last + 1).map(({ text }) => text)
  const link = terms[last + 1]?.text ?? ''
  let at = last + 2
  if (link === 'of' || link === 'for') {
    if (!HEADS.some((heads) => heads.has(run.at(-1) ?? ''))) return undefined
    if (terms[at]?.text === 'the') at += 1
  } else if (link === 'and') {
    if (!run.some((word) => PLURAL_HEADS.has(word)) || !(run.includes('of') || run.includes('for'))) return undefined
    if (labelOfName(terms[at]?.text ?? '') !== undefined) return undefined
  } else if (PARTICLES.has(link)) {
    while (PARTICLES.has(terms[at]?.text ?? '') && at < last + 4) at += 1
  } else if (link !== '&') return undefined
  const beyond = terms[at]
  return beyond !== undefined && isCapital(beyond.text) && !CALENDAR.test(beyond.text) ? at : undefined
}

function isOneLine(text: string, terms: readonly Term[]): boolean {
  return terms.every((term, at) => at === 0 || text.slice(terms[at - 1]?.end ?? 0, term.start) === ' ')
}
