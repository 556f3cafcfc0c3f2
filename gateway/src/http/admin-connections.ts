import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { watchStall } from './watch-stall.ts'

/** The connections of the admin port and the answers that clients haven't read yet. */
export type AdminConnections = {
  /** Notes a request; returns false where the connection was cut for too many requests at once. */
  add(request: IncomingMessage, response: ServerResponse): boolean
  /**
   * Sends the last pieces of an answer and cuts the connection if its reader stalls; several answers may share the
   * bytes.
   */
  end(response: ServerResponse, pieces: readonly Buffer[]): void
}

/** Above this number the oldest connections are cut, first those without a request. */
const maxConnections = 100
/** Above this number connections are cut at once, even new connections whose request head hasn't arrived yet. */
const maxSimultaneous = 1_000
/** The time in milliseconds that a new connection has to send its head before it can be cut. */
const newMs = 50
const maxRequests = 16
/**
 * The most bytes of unread answers in all; the system buffers some megabytes of each. A new answer beyond the bound
 * cuts the oldest answers; a single answer may be larger.
 */
const maxWaitingBytes = 64 * 1024 * 1024
/** The time in milliseconds within which a reader must take at least one byte. */
const stallTimeoutMs = 10_000

type TrackedConnection = { readonly since: number; requests: number }

/** Tracks the connections of a server and cuts surplus connections, so that probes and scrapes can always connect. */
export function trackAdminConnections(server: Server): AdminConnections {
  /** Ordered from the oldest. */
  const connections = new Map<Socket, TrackedConnection>()
  /** Ordered from the oldest; the value is the answer's size in bytes. */
  const answers = new Map<ServerResponse, number>()
  let waitingBytes = 0
  let surplusTimer: NodeJS.Timeout | undefined
  server.on('connection', (socket: Socket) => {
    connections.set(socket, { since: performance.now(), requests: 0 })
    socket.on('close', () => connections.delete(socket))
    if (connections.size > maxSimultaneous) endOldest(connections.size - maxSimultaneous, 0)
    else if (connections.size > maxConnections && surplusTimer === undefined)
      surplusTimer = setTimeout(endSurplus, 2 * newMs)
  })
  return { add, end }

  function add({ socket }: IncomingMessage, response: ServerResponse): boolean {
    const connected = connections.get(socket)
    if (connected === undefined) return false
    connected.requests += 1
    response.on('close', () => {
      connected.requests -= 1
    })
    if (connected.requests > maxRequests) cut(socket)
    return connected.requests <= maxRequests
  }

  function endSurplus(): void {
    surplusTimer = undefined
    endOldest(connections.size - maxConnections, newMs)
    if (connections.size > maxConnections) surplusTimer = setTimeout(endSurplus, 2 * newMs)
  }

  function endOldest(surplus: number, ageMs: number): void {
    let left = surplus
    const latest = performance.now() - ageMs
    for (const isIdle of [true, false]) {
      for (const [socket, { since, requests }] of connections) {
        if (left <= 0 || since > latest) break
        if (isIdle !== (requests === 0)) continue
        connections.delete(socket)
        cut(socket)
        left -= 1
      }
    }
  }

  function end(response: ServerResponse, pieces: readonly Buffer[]): void {
    const { socket } = response
    if (response.destroyed) return
    const bytes = pieces.reduce((sum, piece) => sum + piece.length, 0)
    track(response, bytes)
    for (const piece of pieces) response.write(piece)
    response.end()
    // A pipelined answer has no connection until the answer before it has left; the earlier answer's stall watch covers
    // both.
    const stall = socket === null ? undefined : watchStall(socket, stallTimeoutMs, () => cut(socket))
    response.on('close', () => {
      clearInterval(stall)
      forget(response)
    })
  }

  function track(response: ServerResponse, bytes: number): void {
    for (const oldest of answers.keys()) {
      if (waitingBytes + bytes <= maxWaitingBytes) break
      forget(oldest)
      cut(oldest.req.socket)
    }
    answers.set(response, bytes)
    waitingBytes += bytes
  }

  function forget(response: ServerResponse): void {
    waitingBytes -= answers.get(response) ?? 0
    answers.delete(response)
  }
}

/** Resets the connection: after a normal close the system keeps megabytes for a reader that may never take them. */
function cut(socket: Socket): void {
  socket.resetAndDestroy()
}
