import type { Server } from 'node:http'
import type { Socket } from 'node:net'

export type ConnectionLimit = {
  /** Marks the connection of a logged-in caller, which is never closed to make room. */
  markLoggedIn(socket: Socket): void
}

/**
 * Bounds the connections of a server. When there are too many, the oldest connection without a login is closed, so that
 * a flood of connections shuts out neither people who are logged in nor people who want to log in.
 */
export function limitConnections(server: Server, most: number): ConnectionLimit {
  const withoutLogin = new Set<Socket>()
  let open = 0
  // Requests come over the TLS sockets; the plain sockets below them would be counted twice.
  server.on(isTls(server) ? 'secureConnection' : 'connection', (socket: Socket) => {
    open += 1
    withoutLogin.add(socket)
    socket.once('close', () => {
      open -= 1
      withoutLogin.delete(socket)
    })
    const [oldest] = withoutLogin
    if (open > most) oldest?.destroy()
  })
  // Above `most`, because half-open and closing connections count here too.
  server.maxConnections = 4 * most
  return { markLoggedIn: (socket) => withoutLogin.delete(socket) }
}

function isTls(server: Server): boolean {
  return 'setSecureContext' in server
}
