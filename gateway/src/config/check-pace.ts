/** Checks take this share of the time at most, where edits never stop: one part in four. */
const CHECK_SHARE = 4
/** The milliseconds of pauses that checks may owe, so that some thirty edits after a quiet time are read at once. */
const CREDIT_MS = 2_000

export type PauseTimes = {
  /** The fewest milliseconds that a check pauses the checks after it. */
  readonly leastPauseMs: number
  /** The most milliseconds of a pause: the longest that an edit waits behind others. */
  readonly mostPauseMs: number
}

/**
 * Paces checks of the configuration. The check of a small file takes 20 ms of the thread that serves calls, and that of
 * a larger one a thread. So each check is followed by a pause in proportion to its time; a few checks may come before
 * their pauses.
 */
export class CheckPace {
  readonly #times: PauseTimes
  /** The time at which the checks so far and their pauses are over. */
  #endMs = 0

  constructor(times: PauseTimes) {
    this.#times = times
  }

  /** The earliest time of the next check. */
  get nextMs(): number {
    return this.#endMs - CREDIT_MS
  }

  /** Notes a check that has ended; both times are milliseconds of one clock. */
  note(begunMs: number, endedMs: number): void {
    const { leastPauseMs, mostPauseMs } = this.#times
    const lastedMs = endedMs - begunMs
    const pauseMs = Math.min(mostPauseMs, Math.max(leastPauseMs, lastedMs * (CHECK_SHARE - 1)))
    this.#endMs = Math.max(this.#endMs, begunMs) + lastedMs + pauseMs
  }
}
