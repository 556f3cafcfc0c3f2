import type { ServerResponse } from 'node:http'
import { TLSSocket } from 'node:tls'

/**
 * Cuts the connection of an incomplete answer. HTTP/1.0 has no chunks, so that a closed connection would make an answer
 * of unknown length whole for the caller (RFC 9112, 8): such a caller gets a reset. On TLS the missing closure alert
 * shows the cut, and node resets no TLS connection.
 */
export function cutAnswer(response: ServerResponse): void {
  const { socket, req } = response
  // After `end()` libuv refuses a reset.
  const canReset = socket !== null && !socket.destroyed && !socket.writableEnded && !(socket instanceof TLSSocket)
  if (canReset && req.httpVersion === '1.0') socket.resetAndDestroy()
  else response.destroy()
}
