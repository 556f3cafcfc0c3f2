/**
 * The age in milliseconds that a stamp needs before a reading is certain: a second write within one tick of the clock
 * leaves the stamp unchanged.
 */
const CERTAIN_MS = 1_000

/**
 * Remembers the stamp of the last reading. A reading a second after its stamp was first seen is certain: while the
 * stamp stays, nothing has to be read.
 */
export class SeenStamp {
  #stamp = ''
  #since = Number.NEGATIVE_INFINITY
  #certain: string | undefined

  isCertain(stamp: string): boolean {
    return stamp === this.#certain
  }

  /** Notes a stamp before a reading; returns the stamp's age for `readUnder`. */
  see(stamp: string, nowMs: number): number {
    if (stamp !== this.#stamp) {
      this.#stamp = stamp
      this.#since = nowMs
    }
    return nowMs - this.#since
  }

  /** Notes a finished reading; an old enough stamp makes it certain. */
  readUnder(stamp: string, ageMs: number): void {
    this.#certain = ageMs >= CERTAIN_MS ? stamp : undefined
  }
}
