import type { Socket } from 'node:net'
import type { OwnEnds } from './own-ends.ts'

export type Opened = [null, Socket] | [Error, null]

/** A socket or a request to a proxy, by which a connection is being opened. */
type Opening = { destroy(): unknown }

type AttemptLimits = { readonly origin: string; readonly timeoutMs: number; readonly ends: OwnEnds }

/**
 * An attempt to open a connection; calls back once, with the connection or with an error. After `timeoutMs` the error is
 * ETIMEDOUT; where many attempts are late together, `ends` bounds those that fail in one turn.
 */
export class ConnectionAttempt {
  #callback: ((...opened: Opened) => void) | undefined
  #opening: Opening | undefined
  readonly #timer: NodeJS.Timeout

  constructor(callback: (...opened: Opened) => void, { origin, timeoutMs, ends }: AttemptLimits) {
    this.#callback = callback
    this.#timer = setTimeout(() => ends.add(origin, () => this.#fail('ETIMEDOUT')), timeoutMs)
  }

  /**
   * Follows the socket or request that opens the connection now, in place of the one before. An attempt that is late or
   * cancelled destroys it.
   */
  follow(opening: Opening): void {
    if (this.#callback === undefined) opening.destroy()
    else this.#opening = opening
  }

  end(...opened: Opened): void {
    const callback = this.#callback
    this.#callback = undefined
    this.#opening = undefined
    clearTimeout(this.#timer)
    if (callback === undefined) opened[1]?.destroy()
    else callback(...opened)
  }

  /** Ends an attempt that no call needs any more; does nothing after its end. */
  cancel(): void {
    this.#fail('ECONNABORTED')
  }

  #fail(code: string): void {
    if (this.#callback === undefined) return
    const opening = this.#opening
    this.end(Object.assign(new Error('the connection is not opened'), { code }), null)
    opening?.destroy()
  }
}
