import { FairQueue } from '../work/fair-queue.ts'
import { runSteps } from '../work/run-steps.ts'
import { TurnClock } from '../work/turn-clock.ts'
import { type ConnectionReading, HOLD } from './connection-reading.ts'

/** The milliseconds that reading answers may take in one turn of the event loop before all other connections wait. */
const TURN_MS = 8
/** The fewest and the most connections that go on in one turn. */
const GOING_ON = { fewest: 4, most: 128 } as const

/** A connection to an LLM API. */
export type AnswerConnection = {
  readonly origin: string
  /** True while no call uses the connection. undici must see the end of an idle connection before its next call. */
  readonly isIdle: boolean
  readonly reading: ConnectionReading
  /** True where bytes of the connection were read since it last went on. */
  readonly wasRead: boolean
  /** Reads the bytes that have arrived, and those that arrive from now on. */
  readOn(): void
}

/**
 * Limits the time in which one turn of the event loop reads answers. Sockets hand over up to 64 KiB each, one after
 * another: a hundred heads of that size, or a hundred pieces of event streams, took a second of one turn. Once the time
 * is over, all connections that a call uses wait, since the system would hand over the bytes of each: the buffers of
 * 3,000 connections took 300 ms of garbage collection in one turn, and 128 KiB of memory each. The waiting connections
 * go on in later turns, alternately by LLM API, so that no LLM API waits for the many answers of another.
 */
export class ReadTurns {
  readonly #open = new Set<AnswerConnection>()
  /** By LLM API. */
  readonly #waiting = new FairQueue<AnswerConnection>()
  /** True once this turn has made the connections wait. */
  #isFull = false
  /**
   * The number of connections that go on in a turn: half as many after a full turn, since the system hands over bytes
   * in an order of its own, so that the same connections could be left out each time.
   */
  #goingOn: number = GOING_ON.most
  readonly #clock = new TurnClock(TURN_MS, () => {
    this.#goingOn = this.#isFull
      ? Math.max(GOING_ON.fewest, Math.floor(this.#goingOn / 2))
      : Math.min(GOING_ON.most, 2 * this.#goingOn)
    this.#isFull = false
    if (!this.#waiting.isEmpty) void this.#readWaiting() // rejects where a connection throws, which is a bug
  })

  /** True once this turn's time has passed, counted from the first question of the turn. */
  get isOver(): boolean {
    return this.#clock.isOver
  }

  /** Follows a connection until `remove`. */
  add(connection: AnswerConnection): void {
    this.#open.add(connection)
  }

  remove(connection: AnswerConnection): void {
    this.#open.delete(connection)
    this.#waiting.delete(connection.origin, connection)
  }

  /** Calls `readOn` in a later turn. The turn has read enough, so that all other connections wait too. */
  wait(connection: AnswerConnection): void {
    if (!this.#isFull) this.#fill()
    this.#hold(connection)
    this.#clock.mark()
  }

  /**
   * Called after each reading. While connections wait, each connection is read once in its turn: libuv would read it up
   * to 32 times.
   */
  noteRead(connection: AnswerConnection): void {
    if (!this.#waiting.isEmpty) this.#hold(connection)
  }

  #fill(): void {
    this.#isFull = true
    const read: AnswerConnection[] = []
    for (const connection of this.#open) {
      if (connection.isIdle || !connection.reading.isActive) continue
      if (connection.wasRead) read.push(connection)
      else this.#hold(connection)
    }
    // Connections that went on in vain stand before those that were read, so that none is left out again and again.
    for (const connection of read) this.#hold(connection)
  }

  #hold(connection: AnswerConnection): void {
    if (connection.reading.isHeldFor(HOLD.turn)) return
    connection.reading.hold(HOLD.turn)
    this.#waiting.add(connection.origin, connection)
  }

  async #readWaiting(): Promise<void> {
    let left = this.#goingOn
    try {
      await runSteps(TURN_MS, () => {
        const next = left > 0 ? this.#waiting.takeFirst() : undefined
        left -= 1
        return next && (() => this.#readOn(next))
      })
    } finally {
      // A connection that throws must not hold up the connections behind it.
      if (!this.#waiting.isEmpty) this.#clock.mark()
    }
  }

  #readOn(connection: AnswerConnection): void {
    connection.reading.release(HOLD.turn)
    connection.readOn()
  }
}
