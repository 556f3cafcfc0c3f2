import type { NewConnection } from './new-connection.ts'
import type { PausableReader, ReadLimiter } from './read-limiter.ts'

type Phase = 'accepting' | 'reading'

/** Milliseconds for which connections are accepted and not read, and for which the accepted ones are read then. */
export type AcceptTimes = Readonly<Record<Phase, number>>

export const ACCEPT_TIMES: AcceptTimes = { accepting: 50, reading: 50 }
/** The most connections that begin to be read in one turn. */
const MOST_LOOKS = 64

type AcceptedConnection = PausableReader & Pick<NewConnection, 'look' | 'endLook' | 'serve'>

/**
 * Reads new connections only once the system has no further ones to accept. Libuv accepts one connection in a turn of
 * the event loop: where hundreds arrive together and the first of them send much, each accept would wait for the work on
 * the connections before it, and a caller behind them for all of that work. Where connections arrive without an end,
 * accepting and reading alternate. Connections whose first bytes take long to parse wait behind the others.
 */
export class AcceptFirst {
  readonly #limiter: Pick<ReadLimiter, 'hold' | 'release' | 'wait'>
  readonly #times: AcceptTimes
  #hasAccepted = false
  #held: AcceptedConnection[] = []
  /** The first bytes of these are read in this turn. */
  #looked: readonly AcceptedConnection[] = []
  /** True from the first accept until nothing is held after a turn without an accept. */
  #isArmed = false
  #phase: Phase = 'accepting'
  #sinceMs = 0
  readonly #onTurnEnd = (): void => this.#endTurn()

  constructor(limiter: Pick<ReadLimiter, 'hold' | 'release' | 'wait'>, times: AcceptTimes) {
    this.#limiter = limiter
    this.#times = times
  }

  /** Takes a connection that was just accepted. The first one after a turn without an accept is served at once. */
  add(connection: AcceptedConnection): void {
    if (this.#isArmed) {
      this.#hasAccepted = true
      this.#held.push(connection)
    } else {
      this.#arm()
      connection.serve()
    }
  }

  /** True while connections are accepted and not read. */
  get isAccepting(): boolean {
    return this.#isArmed && this.#phase === 'accepting'
  }

  #arm(): void {
    this.#isArmed = true
    this.#begin('accepting')
    // Two turns: the first accept is in this one.
    setImmediate(() => setImmediate(this.#onTurnEnd))
  }

  #begin(phase: Phase): void {
    this.#phase = phase
    this.#sinceMs = performance.now()
  }

  #endTurn(): void {
    const hasAccepted = this.#hasAccepted
    this.#hasAccepted = false
    const looked = this.#looked
    this.#looked = []
    for (const connection of looked) {
      if (connection.endLook()) this.#limiter.wait(connection)
      else connection.serve()
    }
    if (performance.now() - this.#sinceMs >= this.#times[this.#phase])
      this.#begin(this.#phase === 'accepting' ? 'reading' : 'accepting')
    if (hasAccepted && this.#phase === 'accepting') this.#limiter.hold()
    else this.#read()
    this.#isArmed = hasAccepted || this.#held.length > 0 || this.#looked.length > 0
    if (this.#isArmed) setImmediate(this.#onTurnEnd)
  }

  #read(): void {
    this.#limiter.release()
    this.#looked = this.#held.splice(0, MOST_LOOKS)
    for (const connection of this.#looked) connection.look()
  }
}
