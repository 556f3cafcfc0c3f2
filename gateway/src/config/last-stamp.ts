/**
 * The age in milliseconds that a stamp needs before a reading is certain: a second write within one tick of the clock
 * leaves the stamp unchanged.
 */
const CERTAIN_MS = 1_000

/**
 * Remembers the stamp of the last reading. A reading is certain if its stamp was first seen a second before. After a
 * reading that is certain, nothing has to be read until the stamp changes.
 */
export class LastStamp {
  #stamp = ''
  #sinceMs = Number.NEGATIVE_INFINITY
  #unchangedStamp: string | undefined

  isUnchanged(stamp: string): boolean {
    return stamp === this.#unchangedStamp
  }

  /** Notes a stamp before a reading; returns the stamp's age for `noteReading`. */
  note(stamp: string, nowMs: number): number {
    if (stamp !== this.#stamp) {
      this.#stamp = stamp
      this.#sinceMs = nowMs
    }
    return nowMs - this.#sinceMs
  }

  /** Notes a finished reading; an old enough stamp makes it certain. */
  noteReading(stamp: string, ageMs: number): void {
    this.#unchangedStamp = ageMs >= CERTAIN_MS ? stamp : undefined
  }
}
