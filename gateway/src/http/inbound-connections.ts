import type { RequestListener, Server } from 'node:http'
import { Server as HttpsServer } from 'node:https'
import { Server as NetServer, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { TurnQueue } from '../work/turn-queue.ts'
import { abortWithoutStacks } from './abort-requests.ts'
import { ACCEPT_TIMES, AcceptFirst, type AcceptTimes, type Held } from './accept-first.ts'
import { callerNetwork } from './caller-network.ts'
import { CONNECTION_BYTES, ConnectionBound, type ConnectionLimits } from './connection-bound.ts'
import { FirstBytes } from './first-bytes.ts'
import type { FirstHead } from './first-head.ts'
import { FirstReads } from './first-read.ts'
import { HandshakeReads, MOST_READ } from './handshake-reads.ts'
import { Handshakes } from './handshakes.ts'
import { InboundConnection } from './inbound-connection.ts'
import { type EndRead, NewConnection } from './new-connection.ts'
import { ParsedFields } from './parsed-fields.ts'
import { watchReads } from './parsed-reads.ts'
import type { PortState } from './port-state.ts'
import { PIECES_OF_CLOSING, ReadLimiter } from './read-limiter.ts'
import { keepPauses } from './stop-reading.ts'
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

export type InboundBounds = {
  readonly acceptTimes: AcceptTimes
  /** The most first bytes that wait for the parser on all connections. */
  readonly mostFirstBytes: number
  readonly connectionLimits: ConnectionLimits
  /** The milliseconds for which the rest of a refused body is read behind its answer. */
  readonly lingerMs: number
}

/** The other parts of the server that take part in reading connections. */
export type InboundParts = {
  /** The servers that accept the connections; the HTTP server alone by default. */
  readonly acceptors?: readonly NetServer[]
  /** Work of calls whose bound for a turn is lower while connections are accepted. */
  readonly held?: readonly Held[]
  /** Returns the router that admits a request with this head; by default none does. */
  readonly routerOf?: (head: FirstHead) => string
}

const BOUNDS: InboundBounds = {
  acceptTimes: ACCEPT_TIMES,
  mostFirstBytes: 32 * 1024 * 1024,
  connectionLimits: { bytes: CONNECTION_BYTES, count: Number.POSITIVE_INFINITY, headBytes: 64 * 1024 },
  lingerMs: 2_000,
}
/** The time in milliseconds for heads that arrive while the server stops; later heads aren't served. */
const lastHeadMs = 1_000
/** The most pipelined calls that begin in one turn of the event loop, on all connections. */
const maxBegins = 64
const maxBeginsWhileAccepting = 2
/** The most calls that are cancelled in one turn because their callers left; the record of one may take 10 ms. */
const maxCancels = 4
/** The most connections that one turn ends while the server stops. */
const maxEnds = 64

export function trackInboundConnections(
  server: Server,
  bounds: Partial<InboundBounds> = {},
  { acceptors = [server], held = [], routerOf = () => '' }: InboundParts = {},
): InboundConnections {
  const { acceptTimes, mostFirstBytes, connectionLimits, lingerMs } = { ...BOUNDS, ...bounds }
  const connections = new Map<Duplex, InboundConnection>()
  const port: PortState = {
    waiting: 0,
    draining: false,
    lingerMs,
    readLimiter: new ReadLimiter(),
    begins: new TurnQuota(() => (acceptFirst.isAccepting ? maxBeginsWhileAccepting : maxBegins)),
    cancels: new TurnQueue(maxCancels),
  }
  const acceptFirst = new AcceptFirst({
    times: acceptTimes,
    limiter: port.readLimiter,
    held: [port.readLimiter, ...held],
    routerOf,
  })
  const first = { firstBytes: new FirstBytes(mostFirstBytes), firstReads: new FirstReads() }
  /** Connections before the end of their TLS handshake, and plain ones that aren't read yet. */
  const unserved = new Set<Socket>()
  const bound = new ConnectionBound(server, { served: connections, unserved }, connectionLimits)
  for (const acceptor of acceptors) countClosings(acceptor, port.readLimiter)
  const fields = new ParsedFields((socket) => (socket instanceof Socket ? connections.get(socket) : undefined))
  const serveConnection = takeConnectionListeners(server)
  if (server instanceof HttpsServer) {
    const reads = new HandshakeReads(MOST_READ)
    const handshakes = new Handshakes((socket) => reads.add(socket, callerNetwork(socket.remoteAddress)))
    server.on('connection', (socket: Socket) => {
      addUnserved(socket)
      handshakes.add(socket, server.headersTimeout, () => serveConnection(socket))
    })
    server.on('secureConnection', (socket: Socket) => {
      const below: unknown = Reflect.get(socket, '_parent')
      if (below instanceof Socket) {
        unserved.delete(below)
        reads.end(below)
      }
      watch(socket, add(socket))
    })
  } else {
    for (const acceptor of acceptors) pauseOnConnect(acceptor)
    server.on('connection', (socket: Socket) => {
      addUnserved(socket)
      const serve = (): EndRead => {
        unserved.delete(socket)
        const connection = add(socket)
        serveConnection(socket)
        watch(socket, connection)
        return () => connection.endRead()
      }
      const accepted = new NewConnection(socket, first, serve)
      socket.on('close', () => port.readLimiter.remove(accepted))
      acceptFirst.add(accepted)
    })
  }

  return {
    oneByOne: (begin) => (request, response) => of(request.socket).enqueue({ request, response, begin }),
    of,
    find: (socket) => connections.get(socket),
    drain: (timeoutMs) =>
      new Promise((resolve) => {
        port.draining = true
        const timeout = setTimeout(settle, timeoutMs)
        const lastHeads = setTimeout(endWithoutCall, lastHeadMs)
        // http's own close() would cut each connection whose answer is written but not sent yet.
        const closed = acceptors.map(
          (acceptor) => new Promise<void>((done) => NetServer.prototype.close.call(acceptor, () => done())),
        )
        void Promise.all(closed).then(settle) // never rejects: `close` tells errors to its callback
        endInTurns(connections.values(), (connection) => connection.endIfIdle())

        function settle(): void {
          clearTimeout(lastHeads)
          clearTimeout(timeout)
          resolve()
        }
      }),
    destroy() {
      for (const connection of connections.values()) connection.cut()
      for (const socket of unserved) socket.destroy()
    },
  }

  /** Ends the connections without a call. Meanwhile unserved ones may be served, and then end with the served ones. */
  function endWithoutCall(): void {
    const endUnserved = (socket: Socket): void => {
      if (unserved.has(socket)) socket.destroy()
    }
    endInTurns(unserved, endUnserved, () => endInTurns(connections.values(), (connection) => connection.endIfNoCall()))
  }

  function addUnserved(socket: Socket): void {
    unserved.add(socket)
    bound.check()
    socket.on('close', () => unserved.delete(socket))
  }

  /** To be called once node's server has the socket. */
  function watch(socket: Socket, connection: InboundConnection): void {
    fields.watch(socket)
    abortWithoutStacks(socket)
    watchReads(socket, () => connection.endRead())
    keepPauses(socket, () => connection.mustPause)
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

/** Ends connections a few in each turn: 9,000 idle ones took 0.3 s of one turn, in which running calls stood still. */
function endInTurns<Connection>(
  all: Iterable<Connection>,
  end: (connection: Connection) => void,
  onEnded?: () => void,
): void {
  const rest = [...all]
  const endSome = (): void => {
    for (const connection of rest.splice(0, maxEnds)) end(connection)
    if (rest.length > 0) setImmediate(endSome)
    else onEnded?.()
  }
  endSome()
}

/** Removes the listeners of a server's connections, which node adds, and returns a function that calls them. */
function takeConnectionListeners(server: Server): (socket: Socket) => void {
  const listeners = server.listeners('connection')
  server.removeAllListeners('connection')
  return (socket) => {
    for (const listener of listeners) listener.call(server, socket)
  }
}

/**
 * Counts each connection that ends for the read limiter: closing one takes some 30 microseconds, and thousands may end at
 * one moment. A reset is told by no event before the end of the turn.
 */
function countClosings(server: NetServer, limiter: ReadLimiter): void {
  const emitCloseIfDrained: unknown = Reflect.get(server, '_emitCloseIfDrained')
  if (typeof emitCloseIfDrained !== 'function') return
  Reflect.set(server, '_emitCloseIfDrained', () => {
    limiter.countEvent(PIECES_OF_CLOSING)
    emitCloseIfDrained.call(server)
  })
}

/** Makes a server read nothing of a new connection before its socket resumes. */
function pauseOnConnect(server: NetServer): void {
  // node:net reads this property for each connection; only its own constructor takes it as an option.
  Reflect.set(server, 'pauseOnConnect', true)
}
