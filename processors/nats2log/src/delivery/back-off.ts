const FIRST_DELAY_MS = 250
const LONGEST_DELAY_MS = 60_000
const MOST_DOUBLINGS = 16

/**
 * The waits between tries at a target. They double after each failure until a try succeeds; tries that fail side by
 * side count as one failure.
 */
export class BackOff {
  readonly #now: () => number
  readonly #random: () => number
  #failures = 0
  #lastMs = Number.NEGATIVE_INFINITY

  /** `now`: milliseconds of a monotonic clock; `random`: 0 ≤ n < 1, spreads the tries of many sinks. */
  constructor(now: () => number, random: () => number) {
    this.#now = now
    this.#random = random
  }

  succeeded(): void {
    this.#failures = 0
  }

  /** Returns the milliseconds until the next try, at least as many as the target asks for. */
  failed(startedMs: number, askedMs: number): number {
    if (startedMs >= this.#lastMs) {
      this.#failures += 1
      this.#lastMs = this.#now()
    }
    return this.pauseAfter(this.#failures, askedMs)
  }

  /** Returns the pause after this many failures, at least as many milliseconds as the target asks for. */
  pauseAfter(failures: number, askedMs: number): number {
    const doubled = FIRST_DELAY_MS * 2 ** Math.min(failures - 1, MOST_DOUBLINGS)
    const delayMs = Math.min(Math.max(doubled, FIRST_DELAY_MS), LONGEST_DELAY_MS)
    return Math.max(Math.min(askedMs, LONGEST_DELAY_MS), delayMs * (0.5 + this.#random() / 2))
  }
}
