import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

export type Lingering = { readonly lingerMs: number; readonly begin: () => void }

/**
 * Makes a connection's next `destroySoon`, which node's server calls behind the last answer, close only the gateway's
 * side. A socket that is closed with unread bytes sends a reset, and a caller who still sends the body would see a broken
 * connection and no answer. The connection closes at the end of the body, once the caller closes it, or after
 * `lingerMs`; a second `destroySoon` closes it at once. `begin` is called where the lingering begins.
 */
export function lingerAtEnd(socket: Socket, body: IncomingMessage, { lingerMs, begin }: Lingering): void {
  const destroySoon = (): void => {
    stopLingering(socket)
    if (body.complete || !socket.writable) {
      socket.destroySoon()
      return
    }
    const timer = setTimeout(() => socket.destroy(), lingerMs)
    socket.on('close', () => clearTimeout(timer))
    body.on('end', () => socket.destroySoon())
    socket.end()
    begin()
    socket.resume()
  }
  const restore = (): void => {
    // Another body of the connection may have taken the place meanwhile.
    if (socket.destroySoon === destroySoon) stopLingering(socket)
  }
  socket.destroySoon = destroySoon
  // A connection that stays open would keep the request with its head, which no bound counts.
  body.on('end', restore)
}

/** Undoes `lingerAtEnd`: the next `destroySoon` closes the connection once everything written has left. */
export function stopLingering(socket: Socket): void {
  Reflect.deleteProperty(socket, 'destroySoon')
}
