import { FairQueue } from '../work/fair-queue.ts'
import { TurnEnd } from '../work/turn-end.ts'
import { type ConnectionReading, HOLD } from './connection-reading.ts'
import { OpenConnections } from './open-connections.ts'

/**
 * After this many ends in one turn of the event loop, the LLM APIs whose connections ended aren't read for the rest of
 * the turn, and after more ends no LLM API is: each end also ends an answer to a caller.
 */
const MOST_ENDS = { own: 32, all: 64 } as const
/** The most stopped connections that are read again in one turn. */
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
 * Bounds how many answers end with their connections in one turn. An LLM API may cut thousands of answers at one
 * moment, and the event loop reports all of these ends in one turn. Beyond `MOST_ENDS` the other connections aren't read
 * for the rest of the turn; in the next turns they are read again, alternately by LLM API. Session tickets count like ends:
 * a read of 64 KiB may bring a thousand, which OpenSSL handles before anybody can stop the connection. They may arrive on
 * idle connections, too, so that those of an LLM API that brings tickets wait as well. After `MOST_ENDS.all` tickets all
 * idle connections wait until the end of the turn, since each may be of another LLM API, and new calls wait with them.
 */
export class ConnectionEnds {
  readonly #open = new OpenConnections<EndingConnection>()
  readonly #stopped = new FairQueue<EndingConnection>()
  /** The number of ends and tickets in this turn, and of tickets alone. */
  #ended = 0
  #tickets = 0
  /** The LLM APIs whose connections they were; the value is true where one brought a ticket. */
  readonly #ending = new Map<string, boolean>()
  /** The idle connections that wait for the end of this turn. */
  #idle: EndingConnection[] = []
  #idleRead: PromiseWithResolvers<void> | undefined
  readonly #turnEnd = new TurnEnd(() => this.#endTurn())

  /**
   * Resolves at the end of this turn where idle connections wait for it; otherwise undefined. A call must wait for it:
   * undici writes a call to an idle connection behind the next look at the sockets, and so sees its end before.
   */
  get idleRead(): Promise<void> | undefined {
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
    if (this.#open.delete(connection)) this.#count(origin, false)
  }

  /** To be called for each session ticket that a connection brings, which takes some microseconds as well. */
  noteTicket({ origin }: EndingConnection): void {
    this.#count(origin, true)
    this.#tickets += 1
    if (this.#tickets === MOST_ENDS.all) this.#stopIdle()
  }

  #count(origin: string, isTicket: boolean): void {
    this.#ended += 1
    this.#turnEnd.await()
    const before = this.#ending.get(origin)
    const bringsTickets = isTicket || before === true
    this.#ending.set(origin, bringsTickets)
    if (this.#ended > MOST_ENDS.own && before !== bringsTickets) this.#stop(origin)
    if (this.#ended === MOST_ENDS.own) for (const each of this.#ending.keys()) this.#stop(each)
    if (this.#ended === MOST_ENDS.all) for (const each of this.#open.origins) this.#stop(each)
  }

  #stop(ending: string): void {
    const withIdle = this.#ending.get(ending) === true
    for (const connection of this.#open.of(ending)) {
      const { reading, origin, isIdle } = connection
      if ((isIdle && !withIdle) || !reading.isActive) continue
      reading.hold(HOLD.ends)
      this.#stopped.add(origin, connection)
    }
  }

  /** A connection that a call awaits is read on: undici may write the call at the end of this turn. */
  #stopIdle(): void {
    this.#idleRead = Promise.withResolvers()
    for (const each of this.#open.origins) {
      for (const connection of this.#open.of(each)) {
        const { reading, isIdle, isWanted } = connection
        if (!isIdle || isWanted || !reading.isActive) continue
        reading.hold(HOLD.ends)
        this.#idle.push(connection)
      }
    }
  }

  #endTurn(): void {
    this.#ended = 0
    this.#tickets = 0
    this.#ending.clear()
    for (const { reading } of this.#idle) reading.release(HOLD.ends)
    this.#idle = []
    this.#idleRead?.resolve()
    this.#idleRead = undefined
    for (let started = 0; started < MOST_STARTS && !this.#stopped.isEmpty; started += 1) {
      this.#stopped.takeFirst()?.reading.release(HOLD.ends)
    }
    if (!this.#stopped.isEmpty) this.#turnEnd.await()
  }
}
