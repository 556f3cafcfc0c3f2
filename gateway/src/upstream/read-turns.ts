import { FairQueue } from '../work/fair-queue.ts'
import { runSteps } from '../work/run-steps.ts'
import { TurnClock } from '../work/turn-clock.ts'
import { type ConnectionReading, HOLD } from './connection-reading.ts'
import { OpenConnections } from './open-connections.ts'
import { type ParsedConnection, ParseTimes } from './parse-times.ts'

/** The milliseconds of a turn of the event loop after which LLM APIs wait whose answers took their share of the turn. */
const TURN_MS = 8
/** The milliseconds that the answers of one LLM API may take in a turn that has lasted for long, or while others wait. */
const SHARE_MS = 2
/** The milliseconds that answers may take in a turn beyond its time. */
const BEYOND_MS = 8
/**
 * The fewest and the most connections of an LLM API that go on in one turn, and LLM APIs whose connections go on. The
 * most is also the number of connections of all LLM APIs together.
 */
const GOING_ON = { fewest: 4, most: 128 } as const

/** A connection to an LLM API. */
export type AnswerConnection = ParsedConnection & {
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
 * is over, an LLM API whose answers took more than a small share of it waits with all connections that a call uses,
 * since the system would hand over the bytes of each: the buffers of 3,000 connections took 300 ms of garbage collection
 * in one turn, and 128 KiB of memory each. The answers of other LLM APIs are read in the same turn, for a little longer.
 * The waiting connections go on in later turns, alternately by LLM API. Where several LLM APIs wait, each has its small
 * share of a turn, since one reading of one LLM API may take as long as a hundred of another.
 */
export class ReadTurns {
  readonly #open = new OpenConnections<AnswerConnection>()
  /** By LLM API. */
  readonly #waiting = new FairQueue<AnswerConnection>()
  readonly #times = new ParseTimes()
  /** The LLM APIs whose connections this turn has made wait. */
  readonly #full = new Set<string>()
  /** True where this turn's time was over at the last question. */
  #isOver = false
  /**
   * The number of connections of each waiting LLM API that go on in a turn: half as many after a full turn, since the
   * system hands over bytes in an order of its own, so that the same connections could be left out each time.
   */
  #goingOn: ReadonlyMap<string, number> = new Map()
  /** The number of LLM APIs whose connections go on in a turn: half as many after a turn whose time was over for all. */
  #originsGoingOn: number = GOING_ON.most
  readonly #clock = new TurnClock(TURN_MS, () => this.#endTurn())

  /**
   * Returns whether bytes of the connection may be read in this turn. To be asked before each reading: undici parses
   * what it read before it reads again.
   */
  mayRead({ origin }: AnswerConnection): boolean {
    const nowMs = performance.now()
    this.#times.end(nowMs)
    this.#isOver = this.#clock.isOverAt(nowMs)
    if (this.#isOver) return !this.#isOverForAll && !this.#hasShare(origin)
    return !this.#givesWay(origin)
  }

  /** Follows a connection until `remove`. */
  add(connection: AnswerConnection): void {
    this.#times.open(connection)
    this.#open.add(connection)
  }

  remove(connection: AnswerConnection): void {
    this.noteStop(connection)
    this.#open.delete(connection)
    if (!this.#open.has(connection.origin)) this.#times.forget(connection.origin)
    this.#waiting.delete(connection.origin, connection)
  }

  /** Calls `readOn` in a later turn. This turn reads no other connection of the LLM API either. */
  wait(connection: AnswerConnection): void {
    this.#fill(this.#isOverForAll ? this.#open.origins : [connection.origin])
    this.#hold(connection)
    this.#clock.mark()
  }

  /** To be called once undici has stopped within the connection's bytes: it doesn't ask for further ones. */
  noteStop(connection: AnswerConnection): void {
    this.#times.stop(connection)
  }

  /** Notes the time for bytes that undici had parsed before their consumer was there. */
  noteConsumed(connection: AnswerConnection, bytes: number, ms: number): void {
    this.#times.add(connection, bytes, ms)
  }

  /**
   * Called after each reading of `bytes` bytes. While connections of the LLM API wait, each of its connections is read
   * once in its turn: libuv would read it up to 32 times. Where the time was over for all, each connection is.
   */
  noteRead(connection: AnswerConnection, bytes: number): void {
    this.#times.begin(connection, bytes, this.#isOver)
    const isShortForAll = this.#originsGoingOn < GOING_ON.most && !this.#waiting.isEmpty
    if (isShortForAll || this.#waiting.has(connection.origin)) this.#hold(connection)
  }

  get #isOverForAll(): boolean {
    return this.#times.beyondMs >= BEYOND_MS
  }

  #hasShare(origin: string): boolean {
    return this.#times.of(origin) >= SHARE_MS
  }

  #givesWay(origin: string): boolean {
    return this.#hasShare(origin) && this.#waiting.hasOther(origin)
  }

  #fill(origins: Iterable<string>): void {
    const read: AnswerConnection[] = []
    for (const origin of origins) {
      if (this.#full.has(origin)) continue
      this.#full.add(origin)
      for (const connection of this.#open.of(origin)) {
        if (connection.isIdle || !connection.reading.isActive) continue
        if (connection.wasRead) read.push(connection)
        else this.#hold(connection)
      }
    }
    // Connections that went on in vain stand before those that were read, so that none is left out again and again.
    for (const connection of read) this.#hold(connection)
  }

  #hold(connection: AnswerConnection): void {
    if (connection.reading.isHeldFor(HOLD.turn)) return
    connection.reading.hold(HOLD.turn)
    this.#waiting.add(connection.origin, connection)
  }

  #endTurn(): void {
    const goingOn = new Map<string, number>()
    for (const origin of this.#waiting.owners) {
      goingOn.set(origin, adapted(this.#goingOn.get(origin) ?? GOING_ON.most, this.#full.has(origin)))
    }
    this.#goingOn = goingOn
    this.#originsGoingOn = adapted(this.#originsGoingOn, this.#isOverForAll)
    this.#full.clear()
    this.#times.endTurn()
    if (!this.#waiting.isEmpty) void this.#readWaiting() // rejects where a connection throws, which is a bug
  }

  async #readWaiting(): Promise<void> {
    const left = new Map([...this.#goingOn].slice(0, this.#originsGoingOn))
    let leftInAll: number = GOING_ON.most
    const mayGoOn = (origin: string): boolean => (left.get(origin) ?? 0) > 0 && !this.#givesWay(origin)
    try {
      await runSteps(TURN_MS, () => {
        const next = leftInAll > 0 ? this.#waiting.takeFirst(mayGoOn) : undefined
        if (next === undefined) return undefined
        leftInAll -= 1
        left.set(next.origin, (left.get(next.origin) ?? 0) - 1)
        return () => this.#readOn(next)
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

function adapted(goingOn: number, wasFull: boolean): number {
  return wasFull ? Math.max(GOING_ON.fewest, goingOn / 2) : Math.min(GOING_ON.most, goingOn * 2)
}
