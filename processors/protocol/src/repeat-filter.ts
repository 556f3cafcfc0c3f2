/** The gateway's ids are shorter; longer ids aren't remembered, which bounds the filter's memory. */
const MAX_ID_LENGTH = 256

/** A filter that knows the last ids added, with which sinks drop repeats (docs/reference/kept-records.md#sinks). */
export class RepeatFilter {
  readonly #capacity: number
  readonly #ids = new Set<string>()
  /** The ids in order of arrival, a ring buffer: the next slot holds the oldest. */
  readonly #ring: string[] = []
  #next = 0

  /** Knows the last `capacity` ids. */
  constructor(capacity: number) {
    this.#capacity = capacity
  }

  has(id: string): boolean {
    return this.#ids.has(id)
  }

  add(id: string): void {
    if (id.length > MAX_ID_LENGTH || this.#ids.has(id)) return
    const oldest = this.#ring[this.#next]
    if (oldest !== undefined) this.#ids.delete(oldest)
    this.#ids.add(id)
    this.#ring[this.#next] = id
    this.#next = (this.#next + 1) % this.#capacity
  }
}
