import type { RequestListener, Server } from 'node:http'
import { Server as HttpsServer } from 'node:https'
import { Server as NetServer, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { AcceptFirst } from './accept-first.ts'
import { InboundConnection, type PortState } from './inbound-connection.ts'
import { ReadLimiter } from './read-limiter.ts'
import { TurnQuota } from './turn-quota.ts'

/** The connections of callers; the calls of each connection run one after another. */
export type InboundConnections = {
  /** Wraps a listener so that a connection's next call begins when the answer before it has left. */
  oneByOne(begin: RequestListener): RequestListener
  of(socket: Socket): InboundConnection
  /** Returns undefined before the end of the TLS handshake. */
  find(socket: Duplex): InboundConnection | undefined
  /**
   * Stops listening, ends connections without a call at once and the others after their calls. Resolves once every
   * connection has ended, or after `timeoutMs`.
   */
  drain(timeoutMs: number): Promise<void>
  /** Cuts the remaining connections. */
  destroy(): void
}

/** The time in milliseconds for heads that arrive while the server stops; later heads aren't served. */
const lastHeadMs = 1_000
/** The most pipelined calls that begin in one turn of the event loop, on all connections. */
const maxBegins = 64

export function trackInboundConnections(server: Server, acceptFirst = new AcceptFirst()): InboundConnections {
  const connections = new Map<Duplex, InboundConnection>()
  const port: PortState = {
    waiting: 0,
    draining: false,
    readLimiter: new ReadLimiter(() => connections.values()),
    begins: new TurnQuota(maxBegins),
  }
  /** Connections before the end of their TLS handshake. */
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
  } else server.on('connection', (socket: Socket) => acceptFirst.add(add(socket)))

  return {
    oneByOne: (begin) => (request, response) => of(request.socket).enqueue({ request, response, begin }),
    of,
    find: (socket) => connections.get(socket),
    drain: (timeoutMs) =>
      new Promise((resolve) => {
        port.draining = true
        const timeout = setTimeout(settle, timeoutMs)
        const lastHeads = setTimeout(() => {
          for (const connection of connections.values()) connection.endIfNoCall()
          for (const socket of handshakes) socket.destroy()
        }, lastHeadMs)
        // http's own close() would cut each connection whose answer is written but not sent yet.
        NetServer.prototype.close.call(server, settle)
        for (const connection of connections.values()) connection.endIfIdle()

        function settle(): void {
          clearTimeout(lastHeads)
          clearTimeout(timeout)
          resolve()
        }
      }),
    destroy() {
      for (const connection of connections.values()) connection.cut()
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
