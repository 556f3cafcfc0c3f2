import type { IncomingMessage } from 'node:http'
import { type BodyConnection, declaredLength } from './read-body.ts'

/** The most bytes that are read of a refused body before its answer has left. */
export const DRAIN_BYTES = 64 * 1024
/** The framing bytes of a chunk: a body of one-byte chunks is six times as long on the wire. */
const FRAMING_BYTES = 5

type DrainedConnection = Pick<BodyConnection, 'countPiece'> & {
  /** True while the connection is read on behind its last answer. */
  readonly lingers?: boolean
}

/**
 * Reads and discards the rest of an unwanted body. Returns true where the connection can be kept: the body is complete,
 * or its declared length fits the drain. Otherwise the connection closes after the answer; before the answer at most 64
 * KiB are read beyond the bytes at hand.
 */
export function drainBody(request: IncomingMessage, connection: DrainedConnection): boolean {
  if (request.complete) return true
  const declared = declaredLength(request)
  let rest = DRAIN_BYTES
  const { push } = request
  // Chunks are counted before the request's stream gets them, which would take several times as long for each.
  request.push = (chunk: unknown): boolean => {
    if (!Buffer.isBuffer(chunk)) return push.call(request, chunk)
    connection.countPiece(chunk.length)
    rest -= chunk.length + (declared === undefined ? FRAMING_BYTES : 0)
    return rest >= 0 || connection.lingers === true
  }
  request.resume()
  return declared !== undefined && declared <= DRAIN_BYTES
}
