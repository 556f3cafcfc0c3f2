/** Milliseconds of the main thread that work which comes with chunks may take in one turn of the event loop. */
const TURN_MS = 4

/**
 * Counts the time of the main thread that all readers of a process took since the last turn of the event loop. A socket
 * hands over its chunks one behind the other: without a common count each of forty hostile answers would take its own share.
 */
export class TurnBudget {
  #usedMs = 0
  #isArmed = false
  readonly #reset = () => {
    this.#usedMs = 0
    this.#isArmed = false
  }

  /** Takes milliseconds of this turn; true once its share is used up. */
  spend(ms: number): boolean {
    this.#usedMs += ms
    if (!this.#isArmed) {
      this.#isArmed = true
      setImmediate(this.#reset)
    }
    return this.isSpent
  }

  get isSpent(): boolean {
    return this.#usedMs > TURN_MS
  }
}
