import { MASKED } from '@llm-gateway/gui-api'

/** Shorter values occur in any text and are no secrets. */
const SHORTEST = 6

/**
 * Masks values in a text that comes in pieces, also values that are cut between two pieces. The time for a piece depends
 * on its length and hardly on the number of values: thousands of routers have thousands of keys.
 */
export class ValueMasker {
  /** In the order of their characters, so that the values with one beginning stand together. */
  readonly #values: readonly string[]
  /** For each value the place of the longest other value with which it begins; -1: none. */
  readonly #shorter: readonly number[]
  readonly #beginnings: ReadonlySet<string>
  readonly #firsts: ReadonlySet<number>
  readonly #longest: number
  /** The end of the text so far, which may begin a value. */
  #held = ''
  /** The number of held characters that belong to a value already. */
  #covered = 0

  constructor(values: readonly string[]) {
    this.#values = [...new Set(values)].filter((value) => value.length >= SHORTEST).sort()
    this.#shorter = shorterValues(this.#values)
    this.#beginnings = new Set(this.#values.map((value) => value.slice(0, SHORTEST)))
    this.#firsts = new Set(this.#values.map((value) => value.charCodeAt(0)))
    this.#longest = this.#values.reduce((most, value) => Math.max(most, value.length), 0)
  }

  push(piece: string): string {
    const text = this.#held + piece
    const from = this.#lastBeginning(text)
    const { shown, end } = this.#masked(text, from)
    this.#held = text.slice(from)
    this.#covered = Math.max(0, end - from)
    return shown
  }

  end(): string {
    const text = this.#held
    const { shown } = this.#masked(text, text.length)
    this.#held = ''
    this.#covered = 0
    return shown
  }

  /** Returns the text up to `until` without its values, and the end of the last value. Values may overlap. */
  #masked(text: string, until: number): { readonly shown: string; readonly end: number } {
    const shown: string[] = []
    let end = this.#covered
    let clear = end
    if (end > 0 && until > 0) shown.push(MASKED)
    for (let at = 0; at < until; at += 1) {
      const length = this.#lengthAt(text, at)
      if (length === 0) continue
      if (at >= end) shown.push(text.slice(clear, at), MASKED)
      end = Math.max(end, at + length)
      clear = end
    }
    shown.push(text.slice(Math.min(clear, until), until))
    return { shown: shown.join(''), end }
  }

  /** Returns the length of the longest value that stands at a place; 0: none. */
  #lengthAt(text: string, at: number): number {
    if (!this.#firsts.has(text.charCodeAt(at))) return 0
    if (!this.#beginnings.has(text.slice(at, at + SHORTEST))) return 0
    const seen = text.slice(at, at + this.#longest)
    // Values with which `seen` begins are not behind it, and each of them begins the next one.
    let place = placeOf(this.#values, seen)
    if (this.#values[place] !== seen) place -= 1
    for (; place >= 0; place = this.#shorter[place] ?? -1) {
      const value = this.#values[place] ?? ''
      if (seen.startsWith(value)) return value.length
    }
    return 0
  }

  /** Returns the first place whose text up to the end may begin a longer value. */
  #lastBeginning(text: string): number {
    for (let from = Math.max(0, text.length - this.#longest + 1); from < text.length; from += 1) {
      if (!this.#firsts.has(text.charCodeAt(from))) continue
      const rest = text.slice(from)
      if (rest.length >= SHORTEST && !this.#beginnings.has(rest.slice(0, SHORTEST))) continue
      const place = placeOf(this.#values, rest)
      const value = this.#values[this.#values[place] === rest ? place + 1 : place]
      if (value?.startsWith(rest) === true) return from
    }
    return text.length
  }
}

function shorterValues(sorted: readonly string[]): readonly number[] {
  const shorter: number[] = []
  for (const [index, value] of sorted.entries()) {
    let place = index - 1
    while (place >= 0 && !value.startsWith(sorted[place] ?? '')) place = shorter[place] ?? -1
    shorter.push(place)
  }
  return shorter
}

/** Returns the place of the first value that is not before the text. */
function placeOf(sorted: readonly string[], text: string): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] ?? '') < text) low = middle + 1
    else high = middle
  }
  return low
}
