import type { Server } from 'node:http'
import type { Socket } from 'node:net'

export type ConnectionRoom = {
  /** Marks the connection of a logged-in caller, which is never closed to make room. */
  keep(socket: Socket): void
}

/**
 * Bounds the connections of a server. When there are too many, the oldest connection without a login is closed, so that a
 * flood of connections shuts out neither people who are logged in nor people who want to log in.
 */
export function boundConnections(server: Server, most: number): ConnectionRoom {
  const unknownSockets = new Set<Socket>()
  let open = 0
  // Requests come over the TLS sockets; the plain sockets below them would be counted twice.
  server.on(isTls(server) ? 'secureConnection' : 'connection', (socket: Socket) => {
    open += 1
    unknownSockets.add(socket)
    socket.once('close', () => {
      open -= 1
      unknownSockets.delete(socket)
    })
    const [oldest] = unknownSockets
    if (open > most) oldest?.destroy()
  })
  // Above `most`, because half-open and closing connections count here too.
  server.maxConnections = 4 * most
  return { keep: (socket) => unknownSockets.delete(socket) }
}

function isTls(server: Server): boolean {
  return 'setSecureContext' in server
}
