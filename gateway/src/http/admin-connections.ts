import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { watchStall } from './watch-stall.ts'

/** The clients of the admin port, and the answers that they have not read yet. */
export type AdminConnections = {
  /** Notes a request; false where its connection was cut, since it asked for too much at once. */
  add(request: IncomingMessage, response: ServerResponse): boolean
  /** Ends an answer, and its connection where the reader takes nothing; answers may share their bytes. */
  end(response: ServerResponse, pieces: readonly Buffer[]): void
}

/** Beyond this the oldest connection goes: first of those without a request. */
const mostConnections = 100
/** So many may come together before anybody of them goes: a probe's head comes behind its connection. */
const mostTogether = 1_000
/** Milliseconds in which a new connection's head may come before the connection can be one of those that go. */
const newMs = 50
const mostRequests = 16
/**
 * All answers on their way together: the system buffers some megabytes of each. Where another one comes, the oldest are
 * cut; one alone may be larger.
 */
const mostWaitingBytes = 64 * 1024 * 1024
/** Milliseconds in which a reader takes a byte at least. */
const stallTimeoutMs = 10_000

type Connected = { readonly since: number; requests: number }

/** Follows the connections of a server, so that a probe and a scrape always get in. */
export function trackAdminConnections(server: Server): AdminConnections {
  /** Oldest first. */
  const connections = new Map<Socket, Connected>()
  /** Oldest first, with their bytes. */
  const answers = new Map<ServerResponse, number>()
  let waitingBytes = 0
  let look: NodeJS.Timeout | undefined
  server.on('connection', (socket: Socket) => {
    connections.set(socket, { since: performance.now(), requests: 0 })
    socket.on('close', () => connections.delete(socket))
    if (connections.size > mostTogether) endOldest(connections.size - mostTogether, 0)
    else if (connections.size > mostConnections && look === undefined) look = setTimeout(endSurplus, 2 * newMs)
  })
  return { add, end }

  function add({ socket }: IncomingMessage, response: ServerResponse): boolean {
    const connected = connections.get(socket)
    if (connected === undefined) return false
    connected.requests += 1
    response.on('close', () => {
      connected.requests -= 1
    })
    if (connected.requests > mostRequests) cut(socket)
    return connected.requests <= mostRequests
  }

  function endSurplus(): void {
    look = undefined
    endOldest(connections.size - mostConnections, newMs)
    if (connections.size > mostConnections) look = setTimeout(endSurplus, 2 * newMs)
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
    hold(response, bytes)
    for (const piece of pieces) response.write(piece)
    response.end()
    // A pipelined answer that waits for the one before it has no connection yet, and is covered by that one's watch.
    const stall = socket === null ? undefined : watchStall(socket, stallTimeoutMs, () => cut(socket))
    response.on('close', () => {
      clearInterval(stall)
      letGo(response)
    })
  }

  function hold(response: ServerResponse, bytes: number): void {
    for (const oldest of answers.keys()) {
      if (waitingBytes + bytes <= mostWaitingBytes) break
      letGo(oldest)
      cut(oldest.req.socket)
    }
    answers.set(response, bytes)
    waitingBytes += bytes
  }

  function letGo(response: ServerResponse): void {
    waitingBytes -= answers.get(response) ?? 0
    answers.delete(response)
  }
}

/** With a reset: else the system keeps megabytes for a reader that may never take them. */
function cut(socket: Socket): void {
  socket.resetAndDestroy()
}
