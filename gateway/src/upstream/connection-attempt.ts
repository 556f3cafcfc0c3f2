import type { Socket } from 'node:net'
import type { OwnEnds } from './own-ends.ts'

export type Opened = [null, Socket] | [Error, null]
type Callback = (...opened: Opened) => void

/** A socket or a request to a proxy, by which a connection is being opened. */
type Opening = { destroy(): unknown }

type AttemptLimits = { readonly origin: string; readonly timeoutMs: number; readonly ends: OwnEnds }

/**
 * An attempt to open a connection; calls back once, with the connection or with an error. After `timeoutMs` the error is
 * ETIMEDOUT. Where many attempts are late, refused or successful together, `ends` bounds those that call back in one turn.
 */
export class ConnectionAttempt {
  #callback: Callback | undefined
  #opening: Opening | undefined
  readonly #timer: NodeJS.Timeout
  readonly #limits: AttemptLimits

  constructor(callback: Callback, limits: AttemptLimits) {
    this.#callback = callback
    this.#limits = limits
    this.#timer = setTimeout(() => this.#inTurn(() => this.#fail('ETIMEDOUT')), limits.timeoutMs)
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
    const callback = this.#takeCallback()
    if (callback === undefined) {
      opened[1]?.destroy()
      return
    }
    // A connection may break while it waits; its next owner sees that.
    opened[1]?.on('error', () => undefined)
    this.#inTurn(() => callback(...opened))
  }

  /** Ends an attempt that no call needs any more; does nothing after its end. */
  cancel(): void {
    this.#fail('ECONNABORTED')
  }

  #fail(code: string): void {
    const opening = this.#opening
    this.#takeCallback()?.(Object.assign(new Error('the connection is not opened'), { code }), null)
    opening?.destroy()
  }

  /** Returns the callback at the first call, which ends the attempt. */
  #takeCallback(): Callback | undefined {
    const callback = this.#callback
    this.#callback = undefined
    this.#opening = undefined
    clearTimeout(this.#timer)
    return callback
  }

  #inTurn(end: () => void): void {
    this.#limits.ends.add(this.#limits.origin, end)
  }
}
