/** The time that the end of the process has for the disk, from the first wait on. */
export class DiskLimit {
  readonly #limitMs: number
  #endMs: number | undefined
  #isOver = false

  constructor(limitMs: number) {
    this.#limitMs = limitMs
  }

  /** True where the disk hasn't answered in time. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** Waits for work that never rejects, until the time is over; the work goes on then. */
  async wait(work: Promise<void> | undefined): Promise<void> {
    this.#endMs ??= performance.now() + this.#limitMs
    const { promise: late, resolve } = Promise.withResolvers<void>()
    const end = (): void => {
      this.#isOver = true
      resolve()
    }
    const timer = setTimeout(end, Math.max(0, this.#endMs - performance.now()))
    await Promise.race([work, late])
    clearTimeout(timer)
  }
}
