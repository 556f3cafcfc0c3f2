import { TurnEnd } from './turn-end.ts'

/** The milliseconds of the main thread that work on arriving chunks may take in one turn of the event loop. */
const TURN_MS = 4

/**
 * Counts the main thread's time that all readers of the process took in this turn of the event loop. Sockets hand over
 * their chunks one after another, so that without a shared count each of forty hostile answers would take a full share.
 * Time is known only after the work, so the last chunk of a turn may exceed the share; a `TurnQuota` counts before it.
 */
export class TurnBudget {
  #usedMs = 0
  readonly #turnEnd = new TurnEnd(() => {
    this.#usedMs = 0
  })

  /** Books milliseconds of this turn; returns true once the turn's share is used up. */
  spend(ms: number): boolean {
    this.#usedMs += ms
    this.#turnEnd.await()
    return this.isSpent
  }

  get isSpent(): boolean {
    return this.#usedMs > TURN_MS
  }
}
