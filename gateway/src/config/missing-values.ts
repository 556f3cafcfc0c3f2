/**
 * How long each value that a delivery lacks has been lacking. Every name has a clock of its own: a value that never
 * comes delays neither the values that come later nor, once it was given up, the edits that follow.
 */
export class MissingValues {
  readonly #giveUpAfterMs: number
  #since: ReadonlyMap<string, number> = new Map()

  constructor(giveUpAfterMs: number) {
    this.#giveUpAfterMs = giveUpAfterMs
  }

  /** Takes the names that are missing at `nowMs`; the ms until the last of them is given up, 0 when all are. */
  waitMs(names: readonly string[], nowMs: number): number {
    this.#since = new Map(names.map((name) => [name, this.#since.get(name) ?? nowMs]))
    const latest = Math.max(...this.#since.values())
    return Math.max(0, latest + this.#giveUpAfterMs - nowMs)
  }

  /** A delivery lacked nothing. */
  clear(): void {
    this.#since = new Map()
  }
}
