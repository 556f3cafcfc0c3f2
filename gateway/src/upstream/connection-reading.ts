import type { Socket } from 'node:net'
import { hasEnded, isReading, startReading, stopReading } from '../http/stop-reading.ts'

/** The reasons for which a connection isn't read; each is a bit of its own. */
export const HOLD = {
  /** Many connections end in this turn. */
  ends: 1,
  /** The turn of the event loop has read enough. */
  turn: 2,
  /** The answer's body is paused. */
  body: 4,
} as const
export type Hold = (typeof HOLD)[keyof typeof HOLD]

/**
 * The reading of a connection to an LLM API. The handle is read while no hold is left. Without this class the stream
 * would start a stopped handle again whenever its buffer of 64 KiB has room.
 */
export class ConnectionReading {
  readonly #socket: Socket
  #holds = 0
  /** True where the stream has asked for bytes that a held handle doesn't read. */
  #isAwaited = false

  constructor(socket: Socket) {
    this.#socket = socket
    const start = socket._read
    socket._read = (size: number): void => {
      if (this.#holds === 0) Reflect.apply(start, socket, [size])
      else this.#isAwaited = true
    }
  }

  /** True while the handle is read: the stream has asked for bytes, and no hold is left. */
  get isActive(): boolean {
    return isReading(this.#socket)
  }

  isHeldFor(reason: Hold): boolean {
    return (this.#holds & reason) !== 0
  }

  hold(reason: Hold): void {
    this.#holds |= reason
    if (!isReading(this.#socket)) return
    this.#isAwaited = true
    stopReading(this.#socket)
  }

  release(reason: Hold): void {
    this.#releaseBits(reason)
  }

  releaseAll(): void {
    this.#releaseBits(this.#holds)
  }

  #releaseBits(bits: number): void {
    this.#holds &= ~bits
    if (this.#holds !== 0 || !this.#isAwaited) return
    this.#isAwaited = false
    // The handle of a connection that has ended would report the end a second time.
    if (!this.#socket.destroyed && !hasEnded(this.#socket)) startReading(this.#socket)
  }
}
