import type { Socket } from 'node:net'
import { FairQueue } from '../work/fair-queue.ts'
import { TurnEnd } from '../work/turn-end.ts'

/** The most ends in one turn: fewer than those after which ConnectionEnds stops reading the other connections. */
const MOST_ENDS = 24

/** The codes with which undici destroys connections whose time has passed, or whose client is closed. */
const OWN_CODES: ReadonlySet<unknown> = new Set([
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'UND_ERR_INFO',
  'UND_ERR_DESTROYED',
])

/** A connection to an LLM API. */
export type PacedConnection = {
  readonly socket: Socket
  readonly origin: string
  /** Changes with each request, each answer's head and each answer's end. */
  readonly step: number
}

/**
 * Bounds how many connections the gateway itself ends in one turn of the event loop. The timers of thousands of
 * connections expire in one turn, and a change of settings closes all pooled connections at once. An attempt to connect
 * ends, too, with a connection or without, and an LLM API may answer thousands at one moment. The ends that find no place
 * in their turn follow in later turns, alternately by LLM API.
 */
export class OwnEnds {
  readonly #waiting = new FairQueue<() => void>()
  #ended = 0
  readonly #endMark: symbol
  readonly #turnEnd = new TurnEnd(() => this.#endTurn())

  /** `endMark` is the property with which undici marks the sockets that it has ended. */
  constructor(endMark: symbol) {
    this.#endMark = endMark
  }

  /** Calls `end` in this turn, or in a later one; `end` must not throw. */
  add(origin: string, end: () => void): void {
    this.#turnEnd.await()
    if (this.#ended >= MOST_ENDS) {
      this.#waiting.add(origin, end)
      return
    }
    this.#ended += 1
    end()
  }

  /**
   * Lets undici's ends of the connection wait. `isWanted` is true while a call has or awaits the connection. An idle
   * connection that such a call awaits ends at once, since undici would write the call to it.
   */
  pace(connection: PacedConnection, isWanted: () => boolean): void {
    const { socket, origin } = connection
    const { destroy } = socket
    // undici ends no socket that it has marked, and the connection may go on while its end waits.
    Object.defineProperty(socket, this.#endMark, { get: () => false, set: () => undefined })
    socket.destroy = (error?: Error): Socket => {
      const code = error !== undefined && 'code' in error ? error.code : undefined
      if (!OWN_CODES.has(code) || (code === 'UND_ERR_INFO' && isWanted())) return destroy.call(socket, error)
      const { step } = connection
      this.add(origin, () => {
        // A connection that got a request, or the head or end of an answer, while its end waited is no longer late, and
        // undici has set its next timer.
        if (code === 'UND_ERR_DESTROYED' || connection.step === step) destroy.call(socket, error)
      })
      return socket
    }
  }

  #endTurn(): void {
    this.#ended = 0
    while (this.#ended < MOST_ENDS && !this.#waiting.isEmpty) {
      this.#ended += 1
      this.#waiting.takeFirst()?.()
    }
    if (this.#ended > 0) this.#turnEnd.await()
  }
}
