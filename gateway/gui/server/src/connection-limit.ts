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
  const withoutLogin = new Map<string, Socket>()
  let open = 0
  // A TLS server emits the plain sockets here, too: a connection counts before its handshake, which may never end.
  server.on('connection', (socket: Socket) => {
    const ends = endsOf(socket)
    open += 1
    withoutLogin.set(ends, socket)
    socket.once('close', () => {
      open -= 1
      if (withoutLogin.get(ends) === socket) withoutLogin.delete(ends)
    })
    const [oldest] = withoutLogin.values()
    if (open > most) oldest?.destroy()
  })
  // Above `most`, because closing connections count here too.
  server.maxConnections = 4 * most
  return { markLoggedIn: (socket) => withoutLogin.delete(endsOf(socket)) }
}

/** Returns a text that a TLS socket shares with the plain socket below it, and with no other open socket. */
function endsOf({ remoteAddress, remotePort, localAddress }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress}`
}
