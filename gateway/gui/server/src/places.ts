/** Lets a few calls run at once. The others wait in the order of their arrival. */
export class Places {
  #free: number
  readonly #mostWaiting: number
  readonly #waiting: (() => void)[] = []

  constructor({ places, waiting }: { readonly places: number; readonly waiting: number }) {
    this.#free = places
    this.#mostWaiting = waiting
  }

  /** Runs the work once it has a place. Resolves with undefined if too many wait already. */
  async run<T>(work: () => Promise<T>): Promise<T | undefined> {
    if (this.#free > 0) this.#free -= 1
    else if (this.#waiting.length >= this.#mostWaiting) return undefined
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      // The place goes to the next one without being free between.
      if (next === undefined) this.#free += 1
      else next()
    }
  }
}
