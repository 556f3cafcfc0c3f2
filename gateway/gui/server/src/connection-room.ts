import type { Server } from 'node:http'
import type { Socket } from 'node:net'

export type ConnectionRoom = {
  /** What comes over it was sent by somebody who is logged in: it makes room for nobody. */
  keep(socket: Socket): void
}

/**
 * Bounds the connections of a server. When there are too many, the oldest one goes over which nobody has shown who they are, so
 * that connections without end shut out neither those who are in nor whoever comes to log in.
 */
export function boundConnections(server: Server, most: number): ConnectionRoom {
  const strangers = new Set<Socket>()
  let open = 0
  // TLS sockets are the ones that requests come over; the plain ones below them would be counted twice.
  server.on(isTls(server) ? 'secureConnection' : 'connection', (socket: Socket) => {
    open += 1
    strangers.add(socket)
    socket.once('close', () => {
      open -= 1
      strangers.delete(socket)
    })
    const [oldest] = strangers
    if (open > most) oldest?.destroy()
  })
  // Half-open ones, and those that are closing.
  server.maxConnections = 4 * most
  return { keep: (socket) => strangers.delete(socket) }
}

function isTls(server: Server): boolean {
  return 'setSecureContext' in server
}
