import { FairQueue } from '../work/fair-queue.ts'
import type { FirstHead } from './first-head.ts'
import type { NewConnection } from './new-connection.ts'
import type { PausableReader, ReadLimiter } from './read-limiter.ts'

type Phase = 'accepting' | 'reading'

/**
 * The milliseconds for which connections are only accepted, and those for which the accepted connections are read
 * afterwards.
 */
export type AcceptTimes = Readonly<Record<Phase, number>>

export const ACCEPT_TIMES: AcceptTimes = { accepting: 32, reading: 32 }
/** The most connections at which one turn looks for the first time; half as many get their second look. */
const MOST_LOOKS = 256
/**
 * While more accepted connections wait for the look, some are looked at in any phase, so that their line stays short:
 * a turn accepts up to as many.
 */
const LONG_LINE = 128
/** The most connections whose first request is parsed in one turn. */
const MOST_SERVED = 16
/** While the connections that wait for their turn hold this many first bytes, hardly more are looked at than are served. */
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
  /** Returns the router that admits a request with this head; empty where none does. */
  readonly routerOf: (head: FirstHead) => string
}

type AcceptedConnection = PausableReader & Pick<NewConnection, 'look' | 'endLook' | 'firstBytes' | 'head' | 'serve'>

/**
 * Reads new connections only once the system has no further ones to accept. Libuv accepts few connections in a turn of
 * the event loop: where thousands arrive together and the first of them send much, each accept would wait for the work
 * on the connections before it, and a caller behind them for all of that work. Where connections arrive without an end,
 * accepting and reading alternate. Once its first bytes are here, a connection waits by the router that admits its
 * request: the routers take turns, so that a connection waits for one of each other router and not for all. Anybody can
 * name a router, so that a connection without the router's key waits by the caller's network. Admitted connections have
 * every second place. Connections that have sent nothing are looked at again: the request of one that is served without
 * it would be parsed in a turn that others' requests share. Connections whose first bytes take long to parse wait in the
 * limiter.
 */
export class AcceptFirst {
  readonly #options: AcceptFirstOptions
  #hasAccepted = false
  #accepted: AcceptedConnection[] = []
  /** Connections that had sent nothing at the first look, and wait for the second. */
  readonly #silent: AcceptedConnection[] = []
  #areOldestNext = false
  /** The connections whose first bytes are read in this turn. */
  #looked: readonly AcceptedConnection[] = []
  #lookedAgain: readonly AcceptedConnection[] = []
  /** Connections whose first request a router admits, by the router. */
  readonly #admitted = new FairQueue<AcceptedConnection>()
  /** The other connections, by the caller's network; some had sent nothing at two looks. */
  readonly #others = new FairQueue<AcceptedConnection>()
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

  /** True while connections are accepted before they are read. */
  get isAccepting(): boolean {
    return this.#isArmed && this.#phase === 'accepting'
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
    this.#endLooks()
    if (performance.now() - this.#sinceMs >= times[this.#phase])
      this.#begin(this.#phase === 'accepting' ? 'reading' : 'accepting')
    const isHeld = hasAccepted && this.isAccepting
    for (const each of held) {
      if (isHeld) each.hold()
      else each.release()
    }
    if (!isHeld || this.#accepted.length > LONG_LINE) this.#read()
    this.#isArmed = hasAccepted || this.#areWaiting
    if (this.#isArmed) setImmediate(this.#onTurnEnd)
    // A connection that is served gets its first bytes in a tick of its own.
    process.nextTick(this.#onRead)
  }

  get #areWaiting(): boolean {
    const waiting = this.#accepted.length + this.#silent.length + this.#looked.length + this.#lookedAgain.length
    return waiting > 0 || !this.#admitted.isEmpty || !this.#others.isEmpty
  }

  #endLooks(): void {
    const looked = this.#looked
    const lookedAgain = this.#lookedAgain
    this.#looked = []
    this.#lookedAgain = []
    for (const connection of looked) if (!this.#endLook(connection)) this.#silent.push(connection)
    for (const connection of lookedAgain)
      if (!this.#endLook(connection)) this.#others.add(connection.network, connection)
  }

  /** Returns false where the connection has sent nothing. */
  #endLook(connection: AcceptedConnection): boolean {
    if (connection.endLook()) this.#options.limiter.wait(connection)
    else if (connection.firstBytes === 0) return false
    else this.#addRequest(connection)
    return true
  }

  #addRequest(connection: AcceptedConnection): void {
    const { head, network, firstBytes } = connection
    const router = head === undefined ? '' : this.#options.routerOf(head)
    this.#firstBytes += firstBytes
    if (router === '') this.#others.add(network, connection)
    else this.#admitted.add(router, connection)
  }

  #read(): void {
    for (let served = 0; served < MOST_SERVED; served += 1) {
      const [first, second] = served % 2 === 0 ? [this.#admitted, this.#others] : [this.#others, this.#admitted]
      const connection = first.takeFirst() ?? second.takeFirst()
      if (connection === undefined) break
      this.#firstBytes -= connection.firstBytes
      connection.serve()
    }
    if (this.#firstBytes >= MOST_FIRST_BYTES) return
    const most = this.#firstBytes < MANY_FIRST_BYTES ? MOST_LOOKS : MOST_SERVED
    this.#lookedAgain = this.#silent.splice(0, most / 2)
    this.#looked = this.#takeAccepted(most)
    for (const connection of [...this.#looked, ...this.#lookedAgain]) connection.look()
  }

  /** Of a long line, takes the oldest and the newest by turns: a crowd on one side delays a connection by few turns. */
  #takeAccepted(most: number): readonly AcceptedConnection[] {
    this.#areOldestNext = !this.#areOldestNext || this.#accepted.length <= most
    return this.#areOldestNext ? this.#accepted.splice(0, most) : this.#accepted.splice(-most).reverse()
  }
}
