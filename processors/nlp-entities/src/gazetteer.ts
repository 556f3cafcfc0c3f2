import type { Label, Span } from './entity.ts'
import { CITIES } from './lists/cities.ts'
import { COUNTRIES, FACILITIES, LANDS, STATES } from './lists/countries.ts'
import { GROUPS, LANGUAGES, ORGANIZATIONS } from './lists/organizations.ts'
import { EVENTS, LAWS, PEOPLE, PRODUCTS } from './lists/works.ts'
import type { Term } from './tag-text.ts'

/** The lists by label. A name in two lists has the label of the first. */
const LISTS: readonly (readonly [Label, string])[] = [
  ['GPE', COUNTRIES],
  ['GPE', STATES],
  ['GPE', CITIES],
  ['LOC', LANDS],
  ['FAC', FACILITIES],
  ['NORP', GROUPS],
  ['LANGUAGE', LANGUAGES],
  ['ORG', ORGANIZATIONS],
  ['EVENT', EVENTS],
  ['LAW', LAWS],
  ['PRODUCT', PRODUCTS],
  ['PERSON', PEOPLE],
]
const MAX_WORDS = 7
/** Shorter names are common words in small letters: `us`, `who`, `meta`. */
const MIN_FOLDED = 6

const names = new Map<string, Label>()
const folded = new Map<string, Label>()
for (const [label, list] of LISTS) for (const name of list.split(',')) add(name.trim(), label)

/** Returns the label of a name that has the capitals of its list; the name of a people may have a plural `s`. */
export function labelOfName(name: string): Label | undefined {
  const written = name.replaceAll('’', "'").replaceAll(/\s+/g, ' ')
  const label = names.get(written)
  if (label !== undefined || !written.endsWith('s')) return label
  return names.get(written.slice(0, -1)) === 'NORP' ? 'NORP' : undefined
}

/** Returns the known names among the words of a sentence; `anyCase`: the text has no capitals. */
export function knownSpans(text: string, terms: readonly Term[], anyCase: boolean): readonly Span[] {
  const labelFor = anyCase ? labelOfFolded : labelOfName
  return terms.flatMap((_, first) => longestAt(text, terms, { first, labelFor }) ?? [])
}

type Place = { readonly first: number; readonly labelFor: (name: string) => Label | undefined }

function longestAt(text: string, terms: readonly Term[], { first, labelFor }: Place): Span | undefined {
  const start = terms[first]?.start ?? 0
  for (let last = Math.min(first + MAX_WORDS, terms.length) - 1; last >= first; last -= 1) {
    const end = terms[last]?.end ?? 0
    for (const candidate of [end + 1, end, nameEnd(text, end)]) {
      if (candidate === end + 1 && text[end] !== '.') continue
      const label = labelFor(text.slice(start, candidate))
      if (label !== undefined) return { start, end: candidate, label }
    }
  }
  return undefined
}

/** Returns the end of a word without its possessive. */
export function nameEnd(text: string, end: number): number {
  const tail = text.slice(end - 2, end)
  if (/^['’]s$/iu.test(tail)) return end - 2
  return /['’]$/u.test(tail) ? end - 1 : end
}

function labelOfFolded(name: string): Label | undefined {
  return name.length < MIN_FOLDED ? undefined : folded.get(name.toLowerCase().replaceAll('’', "'"))
}

function add(name: string, label: Label): void {
  if (name === '' || names.has(name)) return
  names.set(name, label)
  folded.set(name.toLowerCase(), label)
}
