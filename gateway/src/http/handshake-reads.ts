import type { Socket } from 'node:net'
import { startReading, stopReading } from './stop-reading.ts'

/** The most callers in a handshake that are read at a time: each may cost some milliseconds of signing. */
export const MOST_READ = 8
const TURN_MS = 1

/**
 * Reads the connections whose TLS handshakes have begun, a few at a time. OpenSSL signs when the rest of a hello or a
 * second hello arrives, so that hundreds of callers who send these at once would hold up the event loop. Where more
 * handshakes are open than may be read, they take turns.
 */
export class HandshakeReads {
  /** Ordered from the one whose turn came first. */
  readonly #read = new Set<Socket>()
  /** Ordered from the next one to be read. */
  readonly #waiting = new Set<Socket>()
  readonly #most: number
  #timer: NodeJS.Timeout | undefined

  /** `most` connections are read at a time. */
  constructor(most: number) {
    this.#most = most
  }

  /** Takes a connection whose handle is read. */
  add(socket: Socket): void {
    if (socket.destroyed) return
    socket.on('close', () => this.#remove(socket))
    if (this.#read.size < this.#most) {
      this.#read.add(socket)
      return
    }
    stopReading(socket)
    this.#waiting.add(socket)
    this.#timer ??= setTimeout(() => this.#takeTurns(), TURN_MS)
  }

  /** Leaves a connection to its reader: its handshake is complete. */
  end(socket: Socket): void {
    if (this.#waiting.has(socket)) startReading(socket)
    this.#remove(socket)
  }

  #remove(socket: Socket): void {
    this.#waiting.delete(socket)
    this.#read.delete(socket)
  }

  #takeTurns(): void {
    this.#timer = undefined
    for (const socket of [...this.#read].slice(0, this.#waiting.size)) {
      stopReading(socket)
      this.#read.delete(socket)
      this.#waiting.add(socket)
    }
    for (const socket of [...this.#waiting].slice(0, this.#most - this.#read.size)) {
      this.#waiting.delete(socket)
      this.#read.add(socket)
      startReading(socket)
    }
    if (this.#waiting.size > 0) this.#timer = setTimeout(() => this.#takeTurns(), TURN_MS)
  }
}
