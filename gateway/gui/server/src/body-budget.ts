import type { IncomingMessage, ServerResponse } from 'node:http'

/** Bounds the bytes of all bodies held at once: many callers may each send a large body. */
export class BodyBudget {
  readonly #most: number
  #held = 0

  constructor(most: number) {
    this.#most = most
  }

  /**
   * Admits a body; false means there is no room. The room is freed when the response or its connection closes. A body
   * without a length counts as `largest`.
   */
  admit({ headers }: IncomingMessage, response: ServerResponse, largest: number): boolean {
    const length = Number(headers['content-length'] ?? (headers['transfer-encoding'] === undefined ? 0 : largest))
    const bytes = Math.min(length, largest)
    if (this.#held > 0 && this.#held + bytes > this.#most) return false
    this.#held += bytes
    response.once('close', () => {
      this.#held -= bytes
    })
    return true
  }
}
