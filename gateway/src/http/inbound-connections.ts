import type { RequestListener, Server } from 'node:http'
import { Server as HttpsServer } from 'node:https'
import { Server as NetServer, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { InboundConnection, type Port } from './inbound-connection.ts'
import { ReadTurns } from './read-turns.ts'

/** The connections of callers, whose calls run one after another on each. */
export type InboundConnections = {
  /** Begins calls in their turn: the next one of a connection when the answer before it has left. */
  inTurn(begin: RequestListener): RequestListener
  of(socket: Socket): InboundConnection
  /** undefined before the end of its TLS handshake. */
  find(socket: Duplex): InboundConnection | undefined
  /**
   * Stops listening; ends connections that have no call, and all others when their calls have ended. Resolves once every
   * connection has ended, or after `timeoutMs`.
   */
  drain(timeoutMs: number): Promise<void>
  /** Cuts whatever is left. */
  destroy(): void
}

/** A request whose head arrives while the server stops is served when it is there within this time. */
const lastHeadMs = 1_000

export function trackInboundConnections(server: Server): InboundConnections {
  const connections = new Map<Duplex, InboundConnection>()
  const port: Port = { waiting: 0, draining: false, turns: new ReadTurns(() => connections.values()) }
  /** Connections that have not ended their TLS handshake. */
  const handshakes = new Set<Socket>()
  if (server instanceof HttpsServer) {
    server.on('connection', (socket: Socket) => {
      handshakes.add(socket)
      socket.on('close', () => handshakes.delete(socket))
    })
    server.on('secureConnection', (socket: Socket) => {
      const below: unknown = Reflect.get(socket, '_parent')
      if (below instanceof Socket) handshakes.delete(below)
      add(socket)
    })
  } else server.on('connection', add)

  return {
    inTurn: (begin) => (request, response) => of(request.socket).take({ request, response, begin }),
    of,
    find: (socket) => connections.get(socket),
    drain: (timeoutMs) =>
      new Promise((resolve) => {
        port.draining = true
        const timeout = setTimeout(settle, timeoutMs)
        const lastHeads = setTimeout(() => {
          for (const connection of connections.values()) connection.endUnlessCalled()
          for (const socket of handshakes) socket.destroy()
        }, lastHeadMs)
        // http's own close() would cut every connection whose answer is written but not yet sent.
        NetServer.prototype.close.call(server, settle)
        for (const connection of connections.values()) connection.endWhenIdle()

        function settle(): void {
          clearTimeout(lastHeads)
          clearTimeout(timeout)
          resolve()
        }
      }),
    destroy() {
      for (const socket of connections.keys()) socket.destroy()
      for (const socket of handshakes) socket.destroy()
    },
  }

  function of(socket: Socket): InboundConnection {
    return connections.get(socket) ?? add(socket)
  }

  function add(socket: Socket): InboundConnection {
    const connection = new InboundConnection(socket, port)
    connections.set(socket, connection)
    socket.on('close', () => connections.delete(socket))
    return connection
  }
}
