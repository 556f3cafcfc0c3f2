import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { OpenConnections } from './open-connections.ts'

/** The memory in bytes of an idle connection with undici's objects. */
const PLAIN_BYTES = 40 * 1024
const TLS_BYTES = 96 * 1024
/** The most bytes of all idle connections. */
const MOST_BYTES = 64 * 1024 * 1024
/** The most connections that are chosen at once, since a choice looks at all connections. */
const MOST_CHOSEN = 64

/** A connection to an LLM API. */
type Connection = {
  readonly socket: Socket
  readonly origin: string
  /** True while a call has the connection or awaits it. */
  readonly isWanted: boolean
}

/**
 * Bounds the idle connections of all LLM APIs together, since no call counts their memory. An LLM API chooses how long its
 * idle connections are kept, up to a minute, and each of a thousand LLM APIs may get a hundred calls in that time. Beyond
 * the bound the LLM APIs with the most idle connections lose some of them.
 */
export class IdleBound {
  readonly #mostBytes: number
  readonly #open = new OpenConnections<IdlePlace>()
  #bytes = 0

  constructor(mostBytes = MOST_BYTES) {
    this.#mostBytes = mostBytes
  }

  /** Follows a connection until `IdlePlace.close`. */
  open(connection: Connection): IdlePlace {
    const place = new IdlePlace(this, connection)
    this.#open.add(place)
    return place
  }

  forget(place: IdlePlace): void {
    this.#open.delete(place)
  }

  /** Counts the bytes of a connection that becomes idle. */
  add(bytes: number): void {
    this.#bytes += bytes
    if (this.#bytes > this.#mostBytes) this.#endSome()
  }

  /** Subtracts the bytes of a connection that is no longer idle. */
  subtract(bytes: number): void {
    this.#bytes -= bytes
  }

  #endSome(): void {
    const idle = [...this.#open.origins].map((origin) => [...this.#open.of(origin)].filter(({ mayEnd }) => mayEnd))
    const kept = Math.floor(idle.reduce((most, { length }) => Math.max(most, length), 0) / 2)
    // undici prefers the connections that it opened first.
    const surplus = idle.flatMap((places) => places.slice(kept).reverse())
    for (const place of surplus.slice(0, MOST_CHOSEN)) place.end()
  }
}

/** A connection in `IdleBound`. */
export class IdlePlace {
  readonly origin: string
  readonly #bound: IdleBound
  readonly #connection: Connection
  readonly #bytes: number
  #isIdle = false

  constructor(bound: IdleBound, connection: Connection) {
    this.origin = connection.origin
    this.#bound = bound
    this.#connection = connection
    this.#bytes = connection.socket instanceof TLSSocket ? TLS_BYTES : PLAIN_BYTES
  }

  /** True for an idle connection that no call awaits. */
  get mayEnd(): boolean {
    return this.#isIdle && !this.#connection.isWanted
  }

  noteIdle(): void {
    if (this.#isIdle) return
    this.#isIdle = true
    this.#bound.add(this.#bytes)
  }

  noteBusy(): void {
    if (!this.#isIdle) return
    this.#isIdle = false
    this.#bound.subtract(this.#bytes)
  }

  close(): void {
    this.noteBusy()
    this.#bound.forget(this)
  }

  /** Ends the connection, in its turn, as undici ends one whose idle time is over. */
  end(): void {
    this.noteBusy()
    this.#connection.socket.destroy(Object.assign(new Error('too many idle connections'), { code: 'UND_ERR_INFO' }))
  }
}
