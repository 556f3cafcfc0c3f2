export type WaitOptions = { readonly timeoutMs?: number; readonly what?: string }

type Waiter = { check(): void }

/**
 * What a fake saw, oldest first, with waiting for a condition instead of sleeping.
 * Holds the last `capacity` entries; `total` counts those that were dropped too. A wait that ends without its condition
 * (default after 60 s: a machine may be ten times slower) rejects and names what was waited for.
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
    // Half is dropped at once: a shift per entry would cost more than the test.
    if (this.#entries.length > this.#capacity) this.#entries = this.#entries.slice(-Math.ceil(this.#capacity / 2))
    this.changed()
  }

  /** Looks again at every wait: an entry's own fields have changed. */
  changed(): void {
    for (const waiter of [...this.#waiters]) waiter.check()
  }

  clear(): void {
    this.#entries = []
    this.#total = 0
  }

  /** The first entry, past or future, that matches. */
  async waitFor(matches: (entry: T) => boolean, options: WaitOptions = {}): Promise<T> {
    return await this.#wait(() => this.#entries.find(matches), options)
  }

  /** The entries, once there have been `count` of them since the last clear. */
  async waitForCount(count: number, options: WaitOptions = {}): Promise<readonly T[]> {
    const what = options.what ?? `${count} entries`
    return await this.#wait(() => (this.#total >= count ? this.#entries : undefined), { ...options, what })
  }

  /** The entries, once `holds` is true of them. */
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
