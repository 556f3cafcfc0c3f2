import type { Socket } from 'node:net'

export type Opened = [null, Socket] | [Error, null]

/** A socket or a request to a proxy, by which a connection is being opened. */
type Opening = { destroy(): unknown }

/** An attempt to open a connection; calls back once, with the connection or with an error. */
export class ConnectionAttempt {
  #callback: ((...opened: Opened) => void) | undefined
  #opening: Opening | undefined

  constructor(callback: (...opened: Opened) => void) {
    this.#callback = callback
  }

  /** Names the socket or request that a cancelled attempt destroys; it replaces the one before. */
  follow(opening: Opening): void {
    if (this.#callback === undefined) opening.destroy()
    else this.#opening = opening
  }

  end(...opened: Opened): void {
    const callback = this.#callback
    this.#callback = undefined
    this.#opening = undefined
    if (callback === undefined) opened[1]?.destroy()
    else callback(...opened)
  }

  /** Ends an attempt that no call needs any more; does nothing after its end. */
  cancel(): void {
    if (this.#callback !== undefined) this.#fail('ECONNABORTED')
  }

  #fail(code: string): void {
    const opening = this.#opening
    this.end(Object.assign(new Error('the connection is not opened'), { code }), null)
    opening?.destroy()
  }
}
