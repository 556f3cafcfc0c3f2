/** The observations of one series in plain arrays, because prom-client hashes its labels at every observation. */
export class Histogram {
  readonly bounds: readonly number[]
  /**
   * The observations by bucket: each counts values up to its bound and above the bound before; the last has no bound.
   */
  readonly #counts: number[]
  #sum = 0

  /** @param bounds upper bounds, ascending, inclusive, without +Inf */
  constructor(bounds: readonly number[]) {
    this.bounds = bounds
    this.#counts = Array.from({ length: bounds.length + 1 }, () => 0)
  }

  /**
   * Counts a value; a negative value counts as 0. A value that isn't finite is ignored: it would spoil the sum for
   * good.
   */
  observe(value: number): void {
    if (!Number.isFinite(value)) return
    let bucket = 0
    for (const bound of this.bounds) {
      if (value <= bound) break
      bucket++
    }
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1
    this.#sum += Math.max(0, value)
  }

  /** Returns for each bucket, +Inf last, the number of observations up to its bound. */
  cumulative(): readonly number[] {
    let total = 0
    return this.#counts.map((count) => {
      total += count
      return total
    })
  }

  get sum(): number {
    return this.#sum
  }
}
