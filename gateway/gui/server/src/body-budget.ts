import type { IncomingMessage } from 'node:http'
import { type Failed, failed } from './answer.ts'
import { bodyBytes, readBody } from './read-body.ts'

const NO_ROOM = failed('TOO_MANY', 'Too many large texts are being sent now. Try again in a moment.')

/** Bounds the bytes of all bodies that are being read or worked on: many callers may each send a large body. */
export class BodyBudget {
  readonly #most: number
  #held = 0

  constructor(most: number) {
    this.#most = most
  }

  /**
   * Reads a body of at most `most` bytes and works on it. Nothing is read while there is no room. The room is freed when
   * the work has ended, even if the caller has left before: the work holds the body. A body without a length counts as
   * `most`.
   */
  async work<Value>(
    { request, most }: { readonly request: IncomingMessage; readonly most: number },
    work: (bytes: Uint8Array | undefined) => Promise<Value>,
  ): Promise<Value | Failed> {
    const bytes = bodyBytes(request, most)
    if (bytes > 0 && this.#held + bytes > this.#most) return NO_ROOM
    this.#held += bytes
    try {
      const body = await readBody(request, most)
      return body.kind === 'failed' ? body : await work(body.bytes)
    } finally {
      this.#held -= bytes
    }
  }
}
