/** One step of a compiled pattern; `Rule` describes the syntax. */
export type Element =
  | {
      readonly kind: 'word'
      readonly words: ReadonlySet<string>
      /** True when `$` is among the alternatives. */
      readonly orEnd: boolean
      readonly optional: boolean
      /** True when a harmless phrase hides this word. */
      readonly hides: boolean
    }
  | { readonly kind: 'some'; readonly words: ReadonlySet<string>; readonly most: number }
  | { readonly kind: 'gap'; readonly most: number }
  | { readonly kind: 'start' | 'end' }

const MOST_OF_SOME = 5
const COMMON: ReadonlySet<string> = new Set(
  `a an the i you he she it we they your my his her our their this that these those is are was were be am have has had do does did will would
  can could should not no of to in on at for with by from and or but if so as like all get go make just what how why who when one time people
  good new use up out any some more be been them him me us there then than only die der das und les la el los de en un une`.split(
    /\s+/,
  ),
)
const COMMON_WEIGHT = 100

/** Compiles a pattern; throws when it names an unknown class, begins with a gap or has no word. */
export function compilePattern(pattern: string, classes: ReadonlyMap<string, readonly string[]>): readonly Element[] {
  const elements = pattern.split(' ').map((text) => elementOf(text, classes))
  const first = elements.find((element) => element.kind !== 'start')
  if (first?.kind !== 'word' || first.optional) throw new Error(`pattern needs a word to begin with: ${pattern}`)
  return elements
}

/** Returns the words that a pattern can begin with. */
export function firstWords(elements: readonly Element[]): ReadonlySet<string> {
  const first = elements.find((element) => element.kind === 'word')
  return first?.kind === 'word' ? first.words : new Set()
}

/** Returns the words of the required element that is the rarest in texts. */
export function rarestWords(elements: readonly Element[]): ReadonlySet<string> {
  const needed = elements.flatMap((element) =>
    element.kind === 'word' && !element.optional && !element.orEnd ? [element.words] : [],
  )
  const [first = new Set<string>(), ...others] = needed
  return others.reduce((rarest, words) => (frequency(words) < frequency(rarest) ? words : rarest), first)
}

function frequency(words: ReadonlySet<string>): number {
  return words.size + COMMON_WEIGHT * [...words].filter((word) => COMMON.has(word)).length
}

function elementOf(text: string, classes: ReadonlyMap<string, readonly string[]>): Element {
  if (text === '^') return { kind: 'start' }
  if (text === '$') return { kind: 'end' }
  if (text.startsWith('~')) return { kind: 'gap', most: Number(text.slice(1)) }
  const optional = text.startsWith('[')
  const some = text.startsWith('*')
  const names = text.replace(/^[[*]|\]$/g, '').split('|')
  const words = new Set(names.flatMap((name) => wordsOf(name.replace(/^!/, ''), classes)))
  if (some) return { kind: 'some', words, most: MOST_OF_SOME }
  return {
    kind: 'word',
    words,
    orEnd: names.includes('$'),
    optional,
    hides: names.some((name) => name.startsWith('!')),
  }
}

function wordsOf(name: string, classes: ReadonlyMap<string, readonly string[]>): readonly string[] {
  if (name === '$') return []
  if (!name.startsWith('@')) return [name]
  const words = classes.get(name.slice(1))
  if (words === undefined) throw new Error(`no such class: ${name}`)
  return words
}
