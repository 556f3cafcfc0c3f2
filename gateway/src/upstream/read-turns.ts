import { TurnClock } from '../work/turn-clock.ts'

/** The milliseconds that reading answers may take in one turn of the event loop before all other connections wait. */
const TURN_MS = 8

/** A connection to an LLM API. */
export type AnswerConnection = {
  readonly origin: string
  /** Reads the bytes that have arrived. */
  readOn(): void
}

/** The connections of one LLM API that wait, in the order in which they came. */
type WaitingConnections = { readonly origin: string; readonly connections: AnswerConnection[] }

/**
 * Limits the time in which one turn of the event loop reads answers. Sockets hand over up to 64 KiB each, one after
 * another: a hundred heads of that size, or a hundred pieces of event streams, took a second of one turn. Connections
 * that find no time left wait and are then read in turns of their own, alternately by LLM API, so that no LLM API waits
 * for the many answers of another.
 */
export class ReadTurns {
  readonly #waiting: WaitingConnections[] = []
  readonly #clock = new TurnClock(TURN_MS, () => {
    if (this.#waiting.length > 0) void this.#readWaiting() // rejects where a connection throws, which is a bug
  })

  /** True once this turn's time has passed, counted from the first question of the turn. */
  get isOver(): boolean {
    return this.#clock.isOver
  }

  /** Calls `readOn` in a later turn; a connection may wait only once. */
  wait(connection: AnswerConnection): void {
    const { origin } = connection
    const line = this.#waiting.find((each) => each.origin === origin)
    if (line === undefined) this.#waiting.push({ origin, connections: [connection] })
    else line.connections.push(connection)
    this.#clock.mark()
  }

  async #readWaiting(): Promise<void> {
    const start = performance.now()
    try {
      for (let next = this.#takeNext(); next !== undefined; next = this.#takeNext()) {
        next.readOn()
        // The code that awaits an answer's head runs before this line continues.
        await undefined
        if (performance.now() - start > TURN_MS) break
      }
    } finally {
      // A connection that throws must not hold up the connections behind it.
      if (this.#waiting.length > 0) this.#clock.mark()
    }
  }

  #takeNext(): AnswerConnection | undefined {
    const line = this.#waiting.shift()
    const next = line?.connections.shift()
    if (line !== undefined && line.connections.length > 0) this.#waiting.push(line)
    return next
  }
}
