const DEFAULT_CAPACITY = 10_000
/** Longer ids aren't the gateway's; remembering them would give the filter's memory no bound. */
const MAX_ID_LENGTH = 256

/** Knows the last ids it was asked about (wire, 3: sinks drop repeats among the last 10,000). */
export class RepeatFilter {
  readonly #capacity: number
  readonly #ids = new Set<string>()
  /** The ids in the order they came, a ring: the next slot holds the oldest. */
  readonly #ring: string[] = []
  #next = 0

  constructor(capacity: number) {
    this.#capacity = capacity
  }

  /** Whether the id is among the last ones; remembers it where it isn't. */
  isRepeat(id: string): boolean {
    if (id.length > MAX_ID_LENGTH) return false
    if (this.#ids.has(id)) return true
    const oldest = this.#ring[this.#next]
    if (oldest !== undefined) this.#ids.delete(oldest)
    this.#ids.add(id)
    this.#ring[this.#next] = id
    this.#next = (this.#next + 1) % this.#capacity
    return false
  }
}

/** A filter for the last `capacity` ids. */
export function createRepeatFilter(capacity: number = DEFAULT_CAPACITY): RepeatFilter {
  return new RepeatFilter(capacity)
}
