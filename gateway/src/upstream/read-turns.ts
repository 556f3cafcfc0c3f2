import { FairQueue } from '../work/fair-queue.ts'
import { TurnClock } from '../work/turn-clock.ts'

/** The milliseconds that reading answers may take in one turn of the event loop before all other connections wait. */
const TURN_MS = 8

/** A connection to an LLM API. */
export type AnswerConnection = {
  readonly origin: string
  /** Reads the bytes that have arrived. */
  readOn(): void
}

/**
 * Limits the time in which one turn of the event loop reads answers. Sockets hand over up to 64 KiB each, one after
 * another: a hundred heads of that size, or a hundred pieces of event streams, took a second of one turn. Connections
 * that find no time left wait and are then read in turns of their own, alternately by LLM API, so that no LLM API waits
 * for the many answers of another.
 */
export class ReadTurns {
  /** By LLM API. */
  readonly #waiting = new FairQueue<AnswerConnection>()
  readonly #clock = new TurnClock(TURN_MS, () => {
    if (!this.#waiting.isEmpty) void this.#readWaiting() // rejects where a connection throws, which is a bug
  })

  /** True once this turn's time has passed, counted from the first question of the turn. */
  get isOver(): boolean {
    return this.#clock.isOver
  }

  /** Calls `readOn` in a later turn; a connection may wait only once. */
  wait(connection: AnswerConnection): void {
    this.#waiting.add(connection.origin, connection)
    this.#clock.mark()
  }

  async #readWaiting(): Promise<void> {
    const start = performance.now()
    try {
      for (let next = this.#waiting.takeFirst(); next !== undefined; next = this.#waiting.takeFirst()) {
        next.readOn()
        // The code that awaits an answer's head runs before this line continues.
        await undefined
        if (performance.now() - start > TURN_MS) break
      }
    } finally {
      // A connection that throws must not hold up the connections behind it.
      if (!this.#waiting.isEmpty) this.#clock.mark()
    }
  }
}
