import { fold } from './fold.ts'
import type { ReadPiece } from './read-piece.ts'

/** Words in reading order, with the marks beside them. */
export type Window = {
  readonly words: readonly string[]
  /** True for a word that ends a sentence. */
  readonly ends: readonly boolean[]
  /** True for a word before a comma or similar sign. */
  readonly pauses: readonly boolean[]
  /** True for a word between quotation marks. */
  readonly quoted: readonly boolean[]
  /** True for a word written in disguise. */
  readonly disguised: readonly boolean[]
}

/** The words of a window, and of its overlap with the window before: more than any pattern spans. */
const WINDOW = 1_024
const OVERLAP = 64
/** A piece without blanks is read in parts of this many characters. */
const MAX_PIECE = 2_048
const BLANK = /\s+/
/** A full stop after fewer words doesn't end a sentence, since full stops between single words may hide a sentence. */
const MIN_SENTENCE = 3
const MAX_QUOTED = 60

/**
 * Joins the texts and yields overlapping windows of words. Separators between two words (blanks, signs, invisible
 * characters) aren't words and take no room in a window. Takes linear time; yields undefined between windows to bound
 * the work between two yields.
 */
export function* wordWindows(texts: Iterable<string>, read: ReadPiece): Generator<Window | undefined> {
  const stream = new WordStream(read)
  let rest = ''
  for (const text of texts) {
    for (const part of fold(text)) {
      const pieces = `${rest}${part}`.split(BLANK)
      rest = pieces.pop() ?? ''
      while (rest.length > MAX_PIECE) {
        pieces.push(rest.slice(0, MAX_PIECE))
        rest = rest.slice(MAX_PIECE)
      }
      for (const piece of pieces) {
        stream.add(piece)
        if (stream.isFull) yield stream.take()
      }
      yield undefined
    }
    stream.add(rest)
    rest = ''
    // Texts without blanks have no other piece.
    if (stream.isFull) yield stream.take()
  }
  if (stream.hasNew) yield stream.take()
}

class WordStream {
  readonly #read: ReadPiece
  #words: string[] = []
  #ends: boolean[] = []
  #pauses: boolean[] = []
  #opens: boolean[] = []
  #closes: boolean[] = []
  #disguised: boolean[] = []
  #opensNext = false
  #isOpen = false
  #sentenceWords = 0
  #newWords = 0

  constructor(read: ReadPiece) {
    this.#read = read
  }

  get isFull(): boolean {
    return this.#words.length >= WINDOW
  }

  get hasNew(): boolean {
    return this.#newWords > 0
  }

  add(piece: string): void {
    if (piece === '') return
    const reading = this.#read(piece)
    for (const word of reading.words) this.#add(word)
    const last = this.#words.length - 1
    if (reading.quotes) this.#quote(last)
    if (reading.words.length > 0 && this.#opensNext) {
      this.#opens[last - reading.words.length + 1] = true
      this.#opensNext = false
    }
    if (last < 0) return
    if (reading.opens) this.#opens[last - reading.words.length + 1] = true
    if (reading.disguised) this.#disguised[last] = true
    if (reading.closes) this.#closes[last] = true
    if (reading.pauses) this.#pauses[last] = true
    if (reading.ends) this.#end(last)
  }

  take(): Window {
    const window = {
      words: this.#words,
      ends: this.#ends,
      pauses: this.#pauses,
      quoted: quotedWords(this.#opens, this.#closes),
      disguised: this.#disguised,
    }
    this.#words = this.#words.slice(-OVERLAP)
    this.#ends = this.#ends.slice(-OVERLAP)
    this.#pauses = this.#pauses.slice(-OVERLAP)
    this.#opens = this.#opens.slice(-OVERLAP)
    this.#closes = this.#closes.slice(-OVERLAP)
    this.#disguised = this.#disguised.slice(-OVERLAP)
    this.#newWords = 0
    return window
  }

  #add(word: string): void {
    this.#words.push(word)
    this.#ends.push(false)
    this.#pauses.push(false)
    this.#opens.push(false)
    this.#closes.push(false)
    this.#disguised.push(false)
    this.#sentenceWords += 1
    this.#newWords += 1
  }

  /** Handles a lone quotation mark, which closes an open quotation or opens one. */
  #quote(last: number): void {
    if (this.#isOpen && last >= 0) this.#closes[last] = true
    else this.#opensNext = true
    this.#isOpen = !this.#isOpen
  }

  #end(last: number): void {
    if (this.#sentenceWords < MIN_SENTENCE) this.#pauses[last] = true
    else this.#ends[last] = true
    this.#sentenceWords = 0
  }
}

/** Returns the words in closed quotations; an unclosed mark would excuse all words after it. */
function quotedWords(opens: readonly boolean[], closes: readonly boolean[]): readonly boolean[] {
  const quoted = opens.map(() => false)
  let from = -1
  for (let index = 0; index < opens.length; index += 1) {
    if (from < 0 && opens[index] === true) from = index
    if (from >= 0 && index - from > MAX_QUOTED) from = -1
    if (from < 0 || closes[index] !== true) continue
    quoted.fill(true, from, index + 1)
    from = -1
  }
  return quoted
}
