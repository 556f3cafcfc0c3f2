import type { Socket } from 'node:net'
import { FairQueue } from '../work/fair-queue.ts'
import { startReading, stopReading } from './stop-reading.ts'

/** The most callers in a handshake that are read at a time: each may cost some milliseconds of signing. */
export const MOST_READ = 8
const TURN_MS = 1

/**
 * Reads the connections whose TLS handshakes have begun, a few at a time. OpenSSL signs when the rest of a hello or a
 * second hello arrives, so that hundreds of callers who send these at once would hold up the event loop. Where more
 * handshakes are open than may be read, they take turns, alternately by owner.
 */
export class HandshakeReads {
  /** The owners of all connections in a handshake. */
  readonly #owners = new Map<Socket, string>()
  /** Ordered from the one whose turn came first. */
  readonly #read = new Set<Socket>()
  readonly #waiting = new FairQueue<Socket>()
  readonly #most: number
  #timer: NodeJS.Timeout | undefined

  /** `most` connections are read at a time. */
  constructor(most: number) {
    this.#most = most
  }

  /** Takes a connection whose handle is read. `owner` is the LLM API of an outbound connection, or a caller's network. */
  add(socket: Socket, owner = ''): void {
    if (socket.destroyed) return
    socket.on('close', () => this.#remove(socket))
    this.#owners.set(socket, owner)
    if (this.#read.size < this.#most) this.#read.add(socket)
    else this.#wait(socket, owner)
  }

  /** Leaves a connection to its reader: its handshake is complete. */
  end(socket: Socket): void {
    if (this.#owners.has(socket) && !this.#read.has(socket)) startReading(socket)
    this.#remove(socket)
  }

  #wait(socket: Socket, owner: string): void {
    stopReading(socket)
    this.#waiting.add(owner, socket)
    this.#awaitTurn()
  }

  #awaitTurn(): void {
    this.#timer ??= setTimeout(() => this.#takeTurns(), TURN_MS)
  }

  #remove(socket: Socket): void {
    const owner = this.#owners.get(socket)
    if (owner === undefined) return
    this.#owners.delete(socket)
    if (!this.#read.delete(socket)) this.#waiting.delete(owner, socket)
  }

  #takeTurns(): void {
    this.#timer = undefined
    const waiting = this.#owners.size - this.#read.size
    for (const socket of [...this.#read].slice(0, waiting)) {
      this.#read.delete(socket)
      this.#wait(socket, this.#owners.get(socket) ?? '')
    }
    while (this.#read.size < this.#most) {
      const next = this.#waiting.takeFirst()
      if (next === undefined) break
      this.#read.add(next)
      startReading(next)
    }
    if (!this.#waiting.isEmpty) this.#awaitTurn()
  }
}
