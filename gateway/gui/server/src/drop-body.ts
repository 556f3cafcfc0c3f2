import type { IncomingMessage } from 'node:http'

/** A body of this declared length is left to Node, which drops it and keeps the connection. */
const MOST_KEPT = 64 * 1024
/** More than the largest body that a request may have: whoever sends such a body after a logout learns of it. */
const MOST_DROPPED = 32 * 1024 * 1024
const LONGEST_MS = 10_000

/** Returns whether the connection must close after the answer, because much of the request's body is unread. */
export function hasUnreadBody({ complete, headers }: IncomingMessage): boolean {
  if (complete) return false
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > MOST_KEPT
}

/**
 * Drops the rest of a body that nobody reads, whose connection closes after the answer. Without it Node would close the
 * connection at once, and the system would send a reset, which can reach a caller that still sends before the answer.
 */
export function dropBody(request: IncomingMessage): void {
  const { socket } = request
  const { destroySoon } = socket
  const mostRead = socket.bytesRead + MOST_DROPPED
  request.on('data', () => {
    // The bytes of the connection are counted, since a body of one-byte chunks is six times as long there.
    if (socket.bytesRead > mostRead) socket.destroy()
  })
  request.resume()
  // Node calls this after the last answer of a connection.
  socket.destroySoon = () => {
    if (request.complete) return destroySoon.call(socket)
    socket.end()
    const timer = setTimeout(() => socket.destroy(), LONGEST_MS)
    request.once('end', () => socket.destroy())
    socket.once('close', () => clearTimeout(timer))
  }
}
