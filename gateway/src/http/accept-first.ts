import { FairQueue } from '../work/fair-queue.ts'
import type { NewConnection } from './new-connection.ts'
import type { PausableReader, ReadLimiter } from './read-limiter.ts'

type Phase = 'accepting' | 'reading'

/**
 * The milliseconds for which connections are only accepted, and those for which the accepted connections are read
 * afterwards.
 */
export type AcceptTimes = Readonly<Record<Phase, number>>

export const ACCEPT_TIMES: AcceptTimes = { accepting: 32, reading: 32 }
/** The most connections whose first bytes are looked at in one turn; few where the last looks found much work. */
const LOOKS = { few: 128, most: 256 } as const
/** First bytes, and connections that have sent none and are served at once, beyond which looks count as much work. */
const MANY_LOOKED_BYTES = 4 * 1024 * 1024
const MANY_SILENT = 64
/** While more accepted connections wait for the look, they are read in any phase, so that their line stays short. */
const LONG_LINE = 2 * LOOKS.most
/** The most connections whose first request is parsed in one turn. */
const MOST_SERVED = 16
/** While the connections that wait for their turn hold this many first bytes, no more are looked at than are served. */
const MANY_FIRST_BYTES = 48 * 1024 * 1024
/** Beyond this many, no connection is looked at. */
const MOST_FIRST_BYTES = 64 * 1024 * 1024

/**
 * Work with a bound for each turn of the event loop. From `hold` to `release` the bound is lower, so that connections
 * are accepted soon.
 */
export type Held = { hold(): void; release(): void }

export type AcceptFirstOptions = {
  readonly times: AcceptTimes
  readonly limiter: Pick<ReadLimiter, 'wait' | 'endReading'>
  readonly held: readonly Held[]
  /** Returns the router of a request target, which shares turns with other routers. */
  readonly routerOf: (target: string) => string
}

type AcceptedConnection = PausableReader & Pick<NewConnection, 'look' | 'endLook' | 'firstBytes' | 'target' | 'serve'>

/**
 * Reads new connections only once the system has no further ones to accept. Libuv accepts few connections in a turn of
 * the event loop: where thousands arrive together and the first of them send much, each accept would wait for the work
 * on the connections before it, and a caller behind them for all of that work. Where connections arrive without an end,
 * accepting and reading alternate. Once its first bytes are here, a connection waits by the router of its request: the
 * routers take turns, so that a connection waits for one of each other router and not for all. Connections whose first
 * bytes take long to parse wait in the limiter.
 */
export class AcceptFirst {
  readonly #options: AcceptFirstOptions
  #hasAccepted = false
  #accepted: AcceptedConnection[] = []
  #areOldestNext = false
  #mostLooks: number = LOOKS.few
  /** The connections whose first bytes are read in this turn. */
  #looked: readonly AcceptedConnection[] = []
  /** Connections with a request, by its router. */
  readonly #requests = new FairQueue<AcceptedConnection>()
  #firstBytes = 0
  /** True from the first accept until no connection waits after a turn without an accept. */
  #isArmed = false
  #phase: Phase = 'accepting'
  #sinceMs = 0
  readonly #onTurnEnd = (): void => this.#endTurn()
  readonly #onRead = (): void => this.#options.limiter.endReading()

  constructor(options: AcceptFirstOptions) {
    this.#options = options
  }

  /** Takes a connection that was just accepted. The first one after a turn without an accept is served at once. */
  add(connection: AcceptedConnection): void {
    if (this.#isArmed) {
      this.#hasAccepted = true
      this.#accepted.push(connection)
    } else {
      this.#arm()
      connection.serve()
    }
  }

  /** True while connections are accepted and not read. */
  get isAccepting(): boolean {
    return this.#isArmed && this.#phase === 'accepting' && this.#accepted.length <= LONG_LINE
  }

  #arm(): void {
    this.#isArmed = true
    this.#begin('accepting')
    // The first accept is in this turn, so that the first check stands at the end of the next one.
    setImmediate(() => setImmediate(this.#onTurnEnd))
  }

  #begin(phase: Phase): void {
    this.#phase = phase
    this.#sinceMs = performance.now()
  }

  #endTurn(): void {
    const { times, held } = this.#options
    const hasAccepted = this.#hasAccepted
    this.#hasAccepted = false
    const looked = this.#looked
    this.#looked = []
    this.#endLooks(looked)
    if (performance.now() - this.#sinceMs >= times[this.#phase])
      this.#begin(this.#phase === 'accepting' ? 'reading' : 'accepting')
    if (hasAccepted && this.isAccepting) {
      for (const each of held) each.hold()
    } else {
      for (const each of held) each.release()
      this.#read()
    }
    this.#isArmed = hasAccepted || this.#accepted.length > 0 || this.#looked.length > 0 || !this.#requests.isEmpty
    if (this.#isArmed) setImmediate(this.#onTurnEnd)
    // A connection that is served gets its first bytes in a tick of its own.
    process.nextTick(this.#onRead)
  }

  #endLooks(looked: readonly AcceptedConnection[]): void {
    if (looked.length === 0) return
    let bytes = 0
    let silent = 0
    for (const connection of looked) {
      this.#endLook(connection)
      bytes += connection.firstBytes
      if (connection.firstBytes === 0) silent += 1
    }
    this.#mostLooks = bytes > MANY_LOOKED_BYTES || silent > MANY_SILENT ? LOOKS.few : LOOKS.most
  }

  #endLook(connection: AcceptedConnection): void {
    const { limiter, routerOf } = this.#options
    if (connection.endLook()) limiter.wait(connection)
    else if (connection.firstBytes === 0) connection.serve()
    else {
      this.#firstBytes += connection.firstBytes
      this.#requests.add(routerOf(connection.target), connection)
    }
  }

  #read(): void {
    for (let served = 0; served < MOST_SERVED && !this.#requests.isEmpty; served += 1) {
      const connection = this.#requests.takeFirst()
      this.#firstBytes -= connection?.firstBytes ?? 0
      connection?.serve()
    }
    if (this.#firstBytes >= MOST_FIRST_BYTES) return
    this.#looked = this.#takeAccepted(this.#firstBytes < MANY_FIRST_BYTES ? this.#mostLooks : MOST_SERVED)
    for (const connection of this.#looked) connection.look()
  }

  /** Of a long line, takes the oldest and the newest by turns: a crowd on one side delays a connection by few turns. */
  #takeAccepted(most: number): readonly AcceptedConnection[] {
    this.#areOldestNext = !this.#areOldestNext || this.#accepted.length <= most
    return this.#areOldestNext ? this.#accepted.splice(0, most) : this.#accepted.splice(-most).reverse()
  }
}
