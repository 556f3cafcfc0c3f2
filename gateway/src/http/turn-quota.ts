/**
 * Bounds how often something is done in one turn of the event loop: at most `most()` times. Unlike a `TurnBudget`, a
 * quota is asked before the work, so that the bound is never exceeded.
 */
export class TurnQuota {
  readonly #most: () => number
  #taken = 0
  readonly #onTurnEnd = (): void => {
    this.#taken = 0
  }

  constructor(most: () => number) {
    this.#most = most
  }

  /** Returns false where the turn has none left; work that then waits for `setImmediate` finds a new turn. */
  take(): boolean {
    if (this.#taken >= this.#most()) return false
    if (this.#taken === 0) setImmediate(this.#onTurnEnd)
    this.#taken += 1
    return true
  }
}
