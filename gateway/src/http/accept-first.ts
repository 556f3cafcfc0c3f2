import type { PausableReader } from './read-limiter.ts'

/** The longest time in milliseconds for which new connections aren't read. */
const MOST_MS = 50

/**
 * Reads new connections only once the system has no further ones to accept. Libuv accepts one connection in a turn of
 * the event loop: where hundreds arrive together and the first of them send much, each accept would wait for the work
 * on the connections before it, and a caller behind them for all of that work.
 */
export class AcceptFirst {
  readonly #mostMs: number
  #accepted: PausableReader[] = []
  #held: PausableReader[] = []
  /** True from the first accept until the end of a turn without an accept. */
  #isArmed = false
  #sinceMs = 0
  readonly #onTurnEnd = (): void => this.#endTurn()

  constructor(mostMs = MOST_MS) {
    this.#mostMs = mostMs
  }

  /** Takes a connection that was just accepted. The first one after a turn without an accept is read at once. */
  add(reader: PausableReader): void {
    if (this.#isArmed) this.#accepted.push(reader)
    else this.#arm()
  }

  #arm(): void {
    this.#isArmed = true
    this.#sinceMs = performance.now()
    // Two turns: the first accept is in this one.
    setImmediate(() => setImmediate(this.#onTurnEnd))
  }

  #endTurn(): void {
    const accepted = this.#accepted
    this.#accepted = []
    if (accepted.length === 0) {
      this.#isArmed = false
      this.#release()
      return
    }
    // A pause within the event of the new connection would not last: node begins to read after that event.
    for (const reader of accepted) {
      // The read limiter resumes those that it has paused.
      if (reader.isPaused) continue
      reader.pause()
      this.#held.push(reader)
    }
    if (performance.now() - this.#sinceMs >= this.#mostMs) {
      this.#sinceMs = performance.now()
      this.#release()
    }
    setImmediate(this.#onTurnEnd)
  }

  #release(): void {
    const held = this.#held
    this.#held = []
    for (const reader of held) reader.resume()
  }
}
