import type { Socket } from 'node:net'
import { FairQueue } from '../work/fair-queue.ts'
import { callerNetwork } from './caller-network.ts'

/** The milliseconds of the main thread that new handshakes may take in one turn of the event loop. */
const TURN_MS = 10

/**
 * Begins the TLS handshakes of accepted connections once their first bytes have arrived, a few in each turn of the event
 * loop: signing takes up to some milliseconds for each, and hundreds of callers may send their first bytes at once. The
 * callers' networks take turns, since anybody can begin handshakes.
 */
export class Handshakes {
  readonly #onBegin: (socket: Socket) => void
  readonly #waiting = new FairQueue<() => void>()
  #begun: Socket | undefined
  #sinceMs = 0
  #isRunning = false
  readonly #onTurn = (): void => {
    this.#sinceMs = performance.now()
    this.#beginNext()
  }
  readonly #onBegun = (): void => {
    if (this.#begun !== undefined) this.#onBegin(this.#begun)
    this.#begun = undefined
    if (performance.now() - this.#sinceMs < TURN_MS) this.#beginNext()
    else setImmediate(this.#onTurn)
  }

  /** `onBegin` gets each connection once its handshake has the first bytes. */
  constructor(onBegin: (socket: Socket) => void) {
    this.#onBegin = onBegin
  }

  /** Calls `begin` in its turn. Cuts a connection that sends nothing for `timeoutMs`. */
  add(socket: Socket, timeoutMs: number, begin: () => void): void {
    const onTimeout = (): void => void socket.destroy()
    // Without a listener an error would end the process.
    socket.on('error', ignore)
    socket.setTimeout(timeoutMs, onTimeout)
    socket.once('readable', () => {
      socket.setTimeout(0)
      socket.off('timeout', onTimeout)
      // The end came without a byte before.
      if (socket.readableLength === 0) socket.destroy()
      this.#waiting.add(callerNetwork(socket.remoteAddress), () => {
        if (socket.destroyed) return
        this.#begun = socket
        begin()
      })
      if (this.#isRunning) return
      this.#isRunning = true
      setImmediate(this.#onTurn)
    })
  }

  #beginNext(): void {
    const next = this.#waiting.takeFirst()
    if (next === undefined) {
      this.#isRunning = false
      return
    }
    try {
      next()
    } finally {
      // Node gives the first bytes to the handshake in a tick that `next` has queued.
      process.nextTick(this.#onBegun)
    }
  }
}

function ignore(): void {
  // The socket closes after an error.
}
