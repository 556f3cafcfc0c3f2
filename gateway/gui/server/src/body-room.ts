import type { IncomingMessage, ServerResponse } from 'node:http'

/** How many bytes of bodies are held at once: who may send large ones may send many of them. */
export class BodyRoom {
  readonly #most: number
  #held = 0

  constructor(most: number) {
    this.#most = most
  }

  /** False: there is no room. What is admitted leaves when its answer is written or its connection has gone; one without a length counts as the largest. */
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
