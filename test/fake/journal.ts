export type WaitOptions = { readonly timeoutMs?: number; readonly what?: string }

type Waiter = { check(): void }

/**
 * The entries that a fake saw, oldest first. Tests wait for a condition on them instead of sleeping. The last
 * `capacity` entries are kept; `total` counts dropped entries too. A wait rejects after its timeout and names its
 * condition; the default is 60 s, because a machine may be ten times slower.
 */
export class Journal<T> {
  readonly #capacity: number
  readonly #waiters = new Set<Waiter>()
  #entries: T[] = []
  #total = 0

  constructor(capacity = 10_000) {
    this.#capacity = capacity
  }

  get entries(): readonly T[] {
    return this.#entries
  }

  get total(): number {
    return this.#total
  }

  add(entry: T): void {
    this.#entries.push(entry)
    this.#total += 1
    // Half of the entries are dropped at once: a shift for each entry would cost more than the test.
    if (this.#entries.length > this.#capacity) this.#entries = this.#entries.slice(-Math.ceil(this.#capacity / 2))
    this.changed()
  }

  /** Checks all waits again after fields of an entry have changed. */
  changed(): void {
    for (const waiter of [...this.#waiters]) waiter.check()
  }

  clear(): void {
    this.#entries = []
    this.#total = 0
  }

  /** Resolves with the first past or future entry that matches. */
  async waitFor(matches: (entry: T) => boolean, options: WaitOptions = {}): Promise<T> {
    return await this.#wait(() => this.#entries.find(matches), options)
  }

  /** Resolves with the entries once `count` have been added since the last clear. */
  async waitForCount(count: number, options: WaitOptions = {}): Promise<readonly T[]> {
    const what = options.what ?? `${count} entries`
    return await this.#wait(() => (this.#total >= count ? this.#entries : undefined), { ...options, what })
  }

  /** Resolves with the entries once `holds` is true of them. */
  async waitUntil(holds: (entries: readonly T[]) => boolean, options: WaitOptions = {}): Promise<readonly T[]> {
    return await this.#wait(() => (holds(this.#entries) ? this.#entries : undefined), options)
  }

  #wait<R>(look: () => R | undefined, options: WaitOptions): Promise<R> {
    const { timeoutMs = 60_000, what = 'an entry' } = options
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        check: () => {
          const found = look()
          if (found !== undefined) settle(() => resolve(found))
        },
      }
      const timer = setTimeout(() => {
        settle(() => reject(new Error(`waited ${timeoutMs} ms for ${what}, saw ${this.#total} entries`)))
      }, timeoutMs)
      const settle = (end: () => void): void => {
        clearTimeout(timer)
        this.#waiters.delete(waiter)
        end()
      }
      this.#waiters.add(waiter)
      waiter.check()
    })
  }
}
