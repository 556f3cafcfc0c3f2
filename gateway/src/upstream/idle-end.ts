import type { Socket } from 'node:net'
import type { OwnEnds } from './own-ends.ts'

/** A connection to an LLM API. */
type Connection = {
  readonly socket: Socket
  readonly origin: string
  readonly isIdle: boolean
  /** True while a call has the connection or awaits it. */
  readonly isWanted: boolean
}

/**
 * The end of an idle connection that its LLM API closes. An LLM API may close thousands at one moment, and the event loop
 * reports all of them in one turn. To note one takes some microseconds, to end one ten times as long. So each end is noted
 * at once, and the connection ends in its turn, or before a call gets it: undici would write the call to it. Where the
 * reading of the others was stopped instead, the event loop stopped looking as well, and calls met closed connections.
 */
export class IdleEnd {
  readonly #connection: Connection
  readonly #ends: OwnEnds
  #isNoted = false

  constructor(connection: Connection, ends: OwnEnds) {
    this.#connection = connection
    this.#ends = ends
    watchEnd(connection.socket, () => this.#note())
  }

  /** Ends the connection where its end was noted; to be called before a call gets the connection. */
  take(): void {
    if (this.#isNoted) this.#connection.socket.destroy()
  }

  /** Returns false where the socket itself has to learn of its end now. */
  #note(): boolean {
    const { socket, origin, isIdle, isWanted } = this.#connection
    if (!isIdle || isWanted || socket.destroyed || socket.readableLength > 0) return false
    this.#isNoted = true
    this.#ends.add(origin, () => socket.destroy())
    return true
  }
}

/** Calls `takes` at the end, or the reset, of a connection. The socket doesn't learn of it where `takes` returns true. */
function watchEnd(socket: Socket, takes: () => boolean): void {
  const handle: unknown = Reflect.get(socket, '_handle')
  if (typeof handle !== 'object' || handle === null) return
  const onRead: unknown = Reflect.get(handle, 'onread')
  if (typeof onRead !== 'function') return
  // Node calls this function with the bytes of each read, and without bytes at the end.
  Reflect.set(handle, 'onread', (bytes: unknown): unknown =>
    bytes === undefined && takes() ? undefined : onRead.call(handle, bytes),
  )
}
