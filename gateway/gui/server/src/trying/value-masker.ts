import { MASKED } from '@llm-gateway/gui-api'

/** Masks values in a text that comes in pieces, also values that are cut between two pieces. */
export class ValueMasker {
  readonly #values: readonly string[]
  #held = ''

  constructor(values: readonly string[]) {
    // Longest first, because a value may contain another.
    this.#values = [...new Set(values)]
      .filter((value) => value.length >= SHORTEST)
      .toSorted((one, other) => other.length - one.length)
  }

  push(piece: string): string {
    const text = this.#clean(this.#held + piece)
    const from = this.#beginning(text)
    this.#held = text.slice(from)
    return text.slice(0, from)
  }

  end(): string {
    const rest = this.#held
    this.#held = ''
    return rest
  }

  #clean(text: string): string {
    return this.#values.reduce((all, value) => all.replaceAll(value, MASKED), text)
  }

  /** Returns the offset at which the end of the text may begin a value. */
  #beginning(text: string): number {
    const longest = this.#values[0]?.length ?? 0
    for (let from = Math.max(0, text.length - longest + 1); from < text.length; from += 1)
      if (this.#values.some((value) => value.startsWith(text.slice(from)))) return from
    return text.length
  }
}

/** Shorter values occur in any text and are no secrets. */
const SHORTEST = 6
