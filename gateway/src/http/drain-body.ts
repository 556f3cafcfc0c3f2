import type { IncomingMessage } from 'node:http'
import { type BodyConnection, declaredLength } from './read-body.ts'
import { MANY_PIECES } from './read-turns.ts'

/** A refused body is read on up to here, so that the caller sees the answer and not a reset. */
const DRAIN_BYTES = 64 * 1024
/** A chunk's own line and ends: a body of one-byte chunks is six times as long on the wire. */
const FRAMING_BYTES = 5

/**
 * Gets rid of a body nobody wants. Returns true where the connection can be kept: what was declared fits the drain;
 * else the connection closes after the answer, having read at most 64 KiB more, and what had come with them.
 */
export function drainBody(request: IncomingMessage, connection: Pick<BodyConnection, 'notePieces'>): boolean {
  if (request.complete) return true
  const declared = declaredLength(request)
  let rest = DRAIN_BYTES
  let pieces = 0
  const { push } = request
  // Before the request's stream sees them: it would cost each chunk several times as much.
  request.push = (chunk: unknown): boolean => {
    if (!Buffer.isBuffer(chunk)) return push.call(request, chunk)
    pieces += 1
    if (pieces % MANY_PIECES === 0) connection.notePieces()
    rest -= chunk.length + (declared === undefined ? FRAMING_BYTES : 0)
    return rest >= 0
  }
  request.resume()
  return declared !== undefined && declared <= DRAIN_BYTES
}
