/**
 * The moments since which values of a delivery are missing. Each name has its own clock, so that a value that never
 * arrives delays neither other values nor, once given up, later edits.
 */
export class MissingValues {
  readonly #giveUpAfterMs: number
  #since: ReadonlyMap<string, number> = new Map()

  constructor(giveUpAfterMs: number) {
    this.#giveUpAfterMs = giveUpAfterMs
  }

  /**
   * Takes the names missing at `nowMs`; returns the milliseconds until the last name is given up, 0 after that.
   */
  waitMs(names: readonly string[], nowMs: number): number {
    this.#since = new Map(names.map((name) => [name, this.#since.get(name) ?? nowMs]))
    const latest = Math.max(...this.#since.values())
    return Math.max(0, latest + this.#giveUpAfterMs - nowMs)
  }

  /**
   * Forgets the names that are still waited for, after a delivery that refers to none of them. Names that were given up
   * stay: the configuration in force may lack them.
   */
  forgetWaiting(nowMs: number): void {
    this.#since = new Map([...this.#since].filter(([, since]) => since + this.#giveUpAfterMs <= nowMs))
  }

  /** Forgets all names after a delivery without missing values. */
  clear(): void {
    this.#since = new Map()
  }
}
