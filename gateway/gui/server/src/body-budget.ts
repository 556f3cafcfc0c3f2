import type { IncomingMessage } from 'node:http'
import { type Failed, failed } from './answer.ts'
import { bodyBytes, readBody } from './read-body.ts'

const NO_ROOM = failed('TOO_MANY', 'Too many large texts are being sent now. Try again in a moment.')

type Sent = {
  readonly request: IncomingMessage
  /** Bytes of the largest body. */
  readonly most: number
  /** The same object for all requests of a caller. */
  readonly caller: object
}

/**
 * Bounds the bytes of all bodies that are being read or worked on: many callers may each send a large body. One caller
 * gets at most half of the bytes beside its first body, since it may send slowly.
 */
export class BodyBudget {
  readonly #most: number
  #held = 0
  readonly #ofCallers = new Map<object, number>()

  constructor(most: number) {
    this.#most = most
  }

  /**
   * Reads a body of at most `most` bytes and works on it. Nothing is read while there is no room. The room is freed when
   * the work has ended, even if the caller has left before: the work holds the body. A body without a length counts as
   * `most`.
   */
  async work<Value>(
    { request, most, caller }: Sent,
    work: (bytes: Uint8Array | undefined) => Promise<Value>,
  ): Promise<Value | Failed> {
    const bytes = bodyBytes(request, most)
    if (bytes > 0 && !this.#fits(caller, bytes)) return NO_ROOM
    this.#count(caller, bytes)
    try {
      const body = await readBody(request, most)
      return body.kind === 'failed' ? body : await work(body.bytes)
    } finally {
      this.#count(caller, -bytes)
    }
  }

  #fits(caller: object, bytes: number): boolean {
    const own = this.#ofCallers.get(caller) ?? 0
    return this.#held + bytes <= this.#most && (own === 0 || own + bytes <= this.#most / 2)
  }

  #count(caller: object, bytes: number): void {
    const own = (this.#ofCallers.get(caller) ?? 0) + bytes
    this.#held += bytes
    if (own === 0) this.#ofCallers.delete(caller)
    else this.#ofCallers.set(caller, own)
  }
}
