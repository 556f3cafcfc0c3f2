import type { Socket } from 'node:net'
import { startReading, stopReading } from '../http/stop-reading.ts'
import { FairQueue } from '../work/fair-queue.ts'

/** The most connections whose end is read in one turn of the event loop: each also ends an answer and its caller. */
const MOST_ENDS = 32
/** The most connections that are read again in one turn after that. */
const MOST_STARTS = 128

/**
 * Bounds how many connections to LLM APIs end in one turn. An LLM API may cut thousands of answers at one moment, and the
 * event loop tells all of these ends in one turn. After some of them it reads no other connection; in the next turns the
 * others are read again, alternately by LLM API.
 */
export class ConnectionEnds {
  readonly #open = new Map<Socket, string>()
  readonly #stopped = new FairQueue<Socket>()
  #ended = 0
  #isArmed = false
  readonly #onTurnEnd = (): void => this.#endTurn()

  /** Follows a connection to an LLM API until it has closed. */
  track(socket: Socket, origin: string): void {
    this.#open.set(socket, origin)
    const count = (): void => this.#count()
    socket.on('error', count)
    socket.on('end', count)
    socket.on('close', () => {
      this.#open.delete(socket)
      this.#stopped.delete(origin, socket)
    })
  }

  #count(): void {
    this.#ended += 1
    this.#arm()
    if (this.#ended !== MOST_ENDS) return
    for (const [socket, origin] of this.#open) {
      if (socket.destroyed) continue
      stopReading(socket)
      this.#stopped.add(origin, socket)
    }
  }

  #endTurn(): void {
    this.#isArmed = false
    this.#ended = 0
    for (let started = 0; started < MOST_STARTS && !this.#stopped.isEmpty; started += 1) {
      const socket = this.#stopped.takeFirst()
      if (socket?.destroyed === false) startReading(socket)
    }
    if (!this.#stopped.isEmpty) this.#arm()
  }

  #arm(): void {
    if (this.#isArmed) return
    this.#isArmed = true
    setImmediate(this.#onTurnEnd)
  }
}
