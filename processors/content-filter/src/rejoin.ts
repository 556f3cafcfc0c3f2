import type { Window } from './word-windows.ts'

export type Joinable = {
  /** Words that a row of single letters may spell. */
  readonly spelled: ReadonlySet<string>
  /** The first three letters of each spelled word. */
  readonly beginnings: ReadonlySet<string>
  /** Words that a blank may cut in two. */
  readonly cut: ReadonlySet<string>
  /** Halves that are words themselves; two of them aren't joined. */
  readonly halves: ReadonlySet<string>
  /** Reads a row of letters and signs as letters. */
  readonly letters: (row: string) => string
}

const MIN_ROW = 3
/** The least length of a word that follows unknown letters of its row. */
const MIN_INSIDE = 4
const LONGEST = 16
const LETTER_NAMES: ReadonlyMap<string, string> = new Map([
  ['you', 'u'],
  ['are', 'r'],
  ['your', 'ur'],
])
const LETTER_WORDS: ReadonlyMap<string, string> = new Map([
  ['u', 'you'],
  ['r', 'are'],
  ['i', 'i'],
])

type Joined = { readonly words: readonly string[]; readonly from: number; readonly to: number }

/** Joins words that blanks have split: `f u c k`, `fu ck`. A joined word gets the marks of its last part. */
export function rejoined(window: Window, joinable: Joinable): Window {
  const joins = joinsOf(window.words, joinable)
  if (joins.length === 0) return window
  const words: string[] = []
  const from: number[] = []
  const joined: boolean[] = []
  let next = 0
  const keep = (until: number): void => {
    for (; next < until; next += 1) {
      words.push(window.words[next] ?? '')
      from.push(next)
      joined.push(window.disguised[next] === true)
    }
  }
  for (const join of joins) {
    keep(join.from)
    for (const word of join.words) {
      words.push(word)
      from.push(join.to - 1)
      joined.push(true)
    }
    next = join.to
  }
  keep(window.words.length)
  const marks = (all: readonly boolean[]): readonly boolean[] =>
    from.map((index, at) => all[index] === true && from[at + 1] !== index)
  return {
    words,
    ends: marks(window.ends),
    pauses: marks(window.pauses),
    quoted: from.map((index) => window.quoted[index] === true),
    disguised: joined,
  }
}

function joinsOf(words: readonly string[], joinable: Joinable): readonly Joined[] {
  const joins: Joined[] = []
  for (let index = 0; index < words.length; ) {
    const to = rowEnd(words, index)
    const join =
      to - index >= MIN_ROW ? spelledRow(words, { from: index, to }, joinable) : cutWord(words, index, joinable)
    if (join !== undefined) joins.push(join)
    index = join?.to ?? Math.max(to, index + 1)
  }
  return joins
}

function rowEnd(words: readonly string[], from: number): number {
  let to = from
  while (to < words.length && isLetter(words[to] ?? '')) to += 1
  return to
}

/** Returns whether a word is a single letter, or a word such as `you`, as which the spelling reads the letter `u`. */
function isLetter(word: string): boolean {
  return word.length === 1 || LETTER_NAMES.has(word)
}

/** Returns all known words in a row of letters, if it spells any. */
function spelledRow(
  words: readonly string[],
  row: { readonly from: number; readonly to: number },
  joinable: Joinable,
): Joined | undefined {
  const text = joinable.letters(
    words
      .slice(row.from, row.to)
      .map((word) => LETTER_NAMES.get(word) ?? word)
      .join(''),
  )
  const found: string[] = []
  for (let at = 0; at < text.length; ) {
    const follows = at === 0 || (found.at(-1) ?? '') !== ''
    // Few places begin a word; the set of beginnings rules out the others quickly.
    const word = !joinable.beginnings.has(text.slice(at, at + MIN_ROW))
      ? undefined
      : longestAt(text.slice(at, at + LONGEST), follows ? MIN_ROW : MIN_INSIDE, joinable.spelled)
    found.push(word ?? LETTER_WORDS.get(text[at] ?? '') ?? '')
    at += word?.length ?? 1
  }
  const read = found.filter((word) => word !== '')
  return read.some((word) => word.length >= MIN_ROW && joinable.spelled.has(word) && !LETTER_NAMES.has(word))
    ? { words: read, ...row }
    : undefined
}

/** Returns the longest known word that the text begins with. */
function longestAt(text: string, shortest: number, known: ReadonlySet<string>): string | undefined {
  for (let length = text.length; length >= shortest; length -= 1) {
    const word = text.slice(0, length)
    if (known.has(word)) return word
  }
  return undefined
}

function cutWord(words: readonly string[], from: number, { cut, halves }: Joinable): Joined | undefined {
  const [first = '', second = ''] = words.slice(from, from + 2)
  if (first.length > 6 || second.length > 6 || (halves.has(first) && halves.has(second))) return undefined
  const word = `${first}${second}`
  return second !== '' && cut.has(word) ? { words: [word], from, to: from + 2 } : undefined
}
