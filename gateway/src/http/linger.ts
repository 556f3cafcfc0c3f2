import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

/** The milliseconds for which the rest of a refused body is read behind its answer. */
const LINGER_MS = 2_000

/**
 * Makes a connection's next `destroySoon`, which node's server calls behind the last answer, close only the gateway's
 * side. A socket that is closed with unread bytes sends a reset, and a caller who still sends the body would see a broken
 * connection and no answer. The connection closes at the end of the body, once the caller closes it, or after
 * `LINGER_MS`; a second `destroySoon` closes it at once. `begin` is called where the lingering begins.
 */
export function lingerAtEnd(socket: Socket, body: IncomingMessage, begin: () => void): void {
  socket.destroySoon = () => {
    Reflect.deleteProperty(socket, 'destroySoon')
    if (body.complete || !socket.writable) {
      socket.destroySoon()
      return
    }
    const timer = setTimeout(() => socket.destroy(), LINGER_MS)
    socket.on('close', () => clearTimeout(timer))
    body.on('end', () => socket.destroySoon())
    socket.end()
    begin()
    socket.resume()
  }
}
