import { isJsonObject } from '@llm-gateway/protocol'
import nlp from 'compromise'
import { PLAIN_NOUNS } from './lists/plain-words.ts'

/** A word of a text with the tagger's tags. */
export type Term = {
  readonly text: string
  readonly start: number
  readonly end: number
  readonly tags: ReadonlySet<string>
  /** True when the dictionary lists the word as a first name, whatever its tags. */
  readonly firstName: boolean
  /** True when the dictionary lists the word as an everyday word, so that a capital alone doesn't make it a name. */
  readonly plain: boolean
}

const FIRST_NAMES = new Set(['FirstName', 'MaleName', 'FemaleName', 'Person'])
const OTHER_NAMES = new Set(
  'LastName ProperNoun Place City Country Region Address Organization SportsTeam School Demonym Acronym Company'.split(
    ' ',
  ),
)
const dictionary = dictionaryOf(nlp.model())
const NO_TAGS: ReadonlySet<string> = new Set()

/** Returns the words of a text by sentences. Contractions are one word. */
export function tagText(text: string): readonly (readonly Term[])[] {
  const sentences: Term[][] = []
  let from = 0
  for (const sentence of nlp(text).docs) {
    const terms: Term[] = []
    for (const term of sentence) {
      // The second half of `don't` has no text of its own.
      if (term.text === '') continue
      const start = text.indexOf(term.text, from)
      if (start < 0) continue
      from = start + term.text.length
      terms.push({ text: term.text, start, end: from, tags: term.tags ?? NO_TAGS, ...byDictionary(term) })
    }
    sentences.push(terms)
  }
  return sentences
}

function byDictionary({ normal }: { readonly normal: string }): Pick<Term, 'firstName' | 'plain'> {
  const tag = dictionary.get(normal)
  const firstName = tag !== undefined && FIRST_NAMES.has(tag)
  return { firstName, plain: isPlainNoun(normal) || (tag !== undefined && !firstName && !OTHER_NAMES.has(tag)) }
}

function isPlainNoun(word: string): boolean {
  return PLAIN_NOUNS.has(word) || (word.endsWith('s') && PLAIN_NOUNS.has(word.slice(0, -1)))
}

/** Returns the dictionary of the library's model, which the library's types don't describe. */
function dictionaryOf(model: object): ReadonlyMap<string, string> {
  const one: unknown = 'one' in model ? model.one : undefined
  if (!isJsonObject(one) || !isJsonObject(one.lexicon)) return new Map()
  return new Map(Object.entries(one.lexicon).filter((entry): entry is [string, string] => typeof entry[1] === 'string'))
}
