/** The time that the disk has, in all waits together: a share may hang for ever. */
export class DiskLimit {
  #leftMs: number
  #isOver = false

  constructor(limitMs: number) {
    this.#leftMs = limitMs
  }

  /** True where the disk hasn't answered in time. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** Waits for work that never rejects, until the time is over; the work goes on then. */
  async wait(work: Promise<void> | undefined): Promise<void> {
    const beganMs = performance.now()
    const { promise: late, resolve } = Promise.withResolvers<void>()
    const end = (): void => {
      this.#isOver = true
      resolve()
    }
    const timer = setTimeout(end, this.#leftMs)
    await Promise.race([work, late])
    clearTimeout(timer)
    this.#leftMs = Math.max(0, this.#leftMs - (performance.now() - beganMs))
  }
}
