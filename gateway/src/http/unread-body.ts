import type { IncomingMessage } from 'node:http'
import { GrowingBytes } from '../memory/growing-bytes.ts'
import type { BodyConnection } from './read-body.ts'

/** The most bytes of a body that arrive before the gateway reads the body; then the connection pauses. */
const MAX_UNREAD_BYTES = 64 * 1024

/**
 * Collects the chunks of a body that no call reads yet, because its call waits for another call or for room for its
 * record. Node's parser can't stop within a segment of 64 KiB, which may hold 11,000 chunks: the request's stream would
 * keep 2 MiB of objects for them. In this class chunks take no more memory than their bytes, and the connection
 * limits their number in a turn.
 */
export class UnreadBody {
  readonly #request: IncomingMessage
  readonly #push: IncomingMessage['push']
  /** Undefined once released: a whole body is released by its end, before its call begins. */
  #bytes: GrowingBytes | undefined = new GrowingBytes()

  constructor(request: IncomingMessage, connection: Pick<BodyConnection, 'countPiece' | 'noteArrival'>) {
    this.#request = request
    this.#push = request.push
    request.push = (chunk: unknown): boolean => {
      const bytes = this.#bytes
      if (bytes === undefined || !Buffer.isBuffer(chunk)) {
        this.release()
        return this.#push.call(request, chunk)
      }
      connection.noteArrival(chunk.length)
      connection.countPiece(chunk.length)
      bytes.add(chunk)
      return bytes.length < MAX_UNREAD_BYTES
    }
  }

  get length(): number {
    return this.#bytes?.length ?? 0
  }

  /** True while no further byte of this body may be read from the connection. */
  get isFull(): boolean {
    return this.length >= MAX_UNREAD_BYTES
  }

  /** Gives the collected bytes to the request's stream, which gets the later chunks itself. */
  release(): void {
    const bytes = this.#bytes
    if (bytes === undefined) return
    this.#bytes = undefined
    this.#request.push = this.#push
    if (bytes.length > 0) this.#push.call(this.#request, bytes.join())
  }
}
