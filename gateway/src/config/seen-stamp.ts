/** How long the same stamp must have been seen before a reading: a write within one tick of the clock leaves no trace. */
const CERTAIN_MS = 1_000

/**
 * Remembers what was read under which stamp of the file and its values. What was read a second after its stamp was seen
 * first is certain: while the stamp stays nothing has to be read.
 */
export class SeenStamp {
  #stamp = ''
  #since = Number.NEGATIVE_INFINITY
  #certain: string | undefined

  isCertain(stamp: string): boolean {
    return stamp === this.#certain
  }

  /** Call it before a reading; the result is for `readUnder`. */
  see(stamp: string, nowMs: number): number {
    if (stamp !== this.#stamp) {
      this.#stamp = stamp
      this.#since = nowMs
    }
    return nowMs - this.#since
  }

  /** What was read under the stamp needs no second look but for this. */
  readUnder(stamp: string, ageMs: number): void {
    this.#certain = ageMs >= CERTAIN_MS ? stamp : undefined
  }
}
