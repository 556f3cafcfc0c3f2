import { FairQueue } from '../work/fair-queue.ts'
import { TurnEnd } from '../work/turn-end.ts'
import { type ConnectionReading, HOLD } from './connection-reading.ts'
import { OpenConnections } from './open-connections.ts'

/**
 * After this many ends in one turn of the event loop, the LLM APIs whose connections ended aren't read for the rest of
 * the turn, and after more ends no LLM API is: each end also ends an answer to a caller.
 */
const MOST_ENDS = { own: 32, all: 64 } as const
/** The most stopped connections of each kind, busy and idle, that are read again in one turn. */
const MOST_STARTS = 128

/** A connection to an LLM API. */
export type EndingConnection = {
  readonly reading: ConnectionReading
  readonly origin: string
  /** True while no call uses the connection. undici must see the end of an idle connection before its next call. */
  readonly isIdle: boolean
  /** True while a call has the connection or awaits it. */
  readonly isWanted: boolean
}

/**
 * Bounds how many answers end with their connections in one turn. An LLM API may cut thousands of answers at one moment,
 * and the event loop reports all of these ends in one turn. Beyond `MOST_ENDS` the other connections aren't read for the
 * rest of the turn; in the next turns they are read again, some in each. Session tickets count like ends: a read of
 * 64 KiB may bring a thousand, which OpenSSL handles before anybody can stop the connection. They may arrive on idle
 * connections, too, so that those of an LLM API that brings tickets wait as well. After `MOST_ENDS.all` ends in a turn
 * with tickets all idle connections wait, since each may be of another LLM API. A new call waits for the end of the turn,
 * from which on the idle connections of its LLM API are read. The ends of idle connections themselves have turns of their
 * own (`IdleEnd`).
 */
export class ConnectionEnds {
  readonly #open = new OpenConnections<EndingConnection>()
  readonly #stopped = new FairQueue<EndingConnection>()
  /** The number of ends and tickets in this turn. */
  #ended = 0
  /** The LLM APIs whose connections they were; the value is true where one brought a ticket. */
  readonly #ending = new Map<string, boolean>()
  /** The idle connections that aren't read. */
  readonly #idle = new OpenConnections<EndingConnection>()
  /** The LLM APIs whose idle connections are read from the end of this turn on, because a call waits for them. */
  readonly #awaited = new Set<string>()
  #idleRead: PromiseWithResolvers<void> | undefined
  readonly #turnEnd = new TurnEnd(() => this.#endTurn())

  /**
   * A call to the LLM API must wait for this promise, undefined where it need not wait. The promise resolves at the end
   * of this turn, from which on the idle connections are read: undici writes a call to an idle connection behind the next
   * look at the sockets, and so sees its end before.
   */
  readIdle(origin: string): Promise<void> | undefined {
    if (!this.#idle.has(origin)) return undefined
    this.#awaited.add(origin)
    this.#idleRead ??= Promise.withResolvers()
    return this.#idleRead.promise
  }

  /** The promise for which calls wait; undefined while none waits. */
  get awaitedRead(): Promise<void> | undefined {
    return this.#idleRead?.promise
  }

  /** Follows a connection until it has closed. */
  add(connection: EndingConnection): void {
    this.#open.add(connection)
  }

  /** To be called when the connection ends, or breaks. */
  noteEnd(connection: EndingConnection): void {
    const { origin } = connection
    this.#stopped.delete(origin, connection)
    this.#idle.delete(connection)
    if (this.#open.delete(connection)) this.#count(origin, false)
  }

  /** To be called for each session ticket that a connection brings, which takes some microseconds as well. */
  noteTicket({ origin }: EndingConnection): void {
    this.#count(origin, true)
  }

  #count(origin: string, isTicket: boolean): void {
    this.#ended += 1
    this.#turnEnd.await()
    const before = this.#ending.get(origin)
    const bringsTickets = isTicket || before === true
    this.#ending.set(origin, bringsTickets)
    if (this.#ended > MOST_ENDS.own && before !== bringsTickets) this.#stop(origin, bringsTickets)
    if (this.#ended === MOST_ENDS.own) for (const [each, withIdle] of this.#ending) this.#stop(each, withIdle)
    if (this.#ended !== MOST_ENDS.all) return
    const anyTickets = [...this.#ending.values()].includes(true)
    for (const each of this.#open.origins) this.#stop(each, anyTickets)
  }

  /**
   * Stops the connections of an LLM API: those of calls, and `withIdle` also the idle ones. An idle connection that a call
   * awaits is read on, since undici may write the call at the end of this turn, unless its LLM API brings tickets.
   */
  #stop(ending: string, withIdle: boolean): void {
    const bringsTickets = this.#ending.get(ending) === true
    for (const connection of this.#open.of(ending)) {
      const { reading, origin, isIdle, isWanted } = connection
      if (!reading.isActive || (isIdle && !(isWanted ? bringsTickets : withIdle))) continue
      reading.hold(HOLD.ends)
      if (isIdle && !isWanted) this.#idle.add(connection)
      else this.#stopped.add(origin, connection)
    }
  }

  #endTurn(): void {
    this.#ended = 0
    this.#ending.clear()
    this.#startIdle()
    for (let started = 0; started < MOST_STARTS && !this.#stopped.isEmpty; started += 1) {
      this.#stopped.takeFirst()?.reading.release(HOLD.ends)
    }
    if (!this.#stopped.isEmpty || !this.#idle.isEmpty) this.#turnEnd.await()
  }

  /** Reads the idle connections again for which calls wait, and some others. */
  #startIdle(): void {
    for (const origin of this.#awaited) for (const connection of this.#idle.of(origin)) this.#start(connection)
    this.#awaited.clear()
    this.#idleRead?.resolve()
    this.#idleRead = undefined
    let started = 0
    for (const connection of this.#idle) {
      if (started === MOST_STARTS) break
      started += 1
      this.#start(connection)
    }
  }

  #start(connection: EndingConnection): void {
    this.#idle.delete(connection)
    connection.reading.release(HOLD.ends)
  }
}
