import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { DRAIN_BYTES, drainBody } from './drain-body.ts'
import { watchReads } from './parsed-reads.ts'
import { announcedBytes } from './read-body.ts'
import { ReadCosts } from './read-costs.ts'
import { MANY_FIELDS, type PausableReader, PIECES_OF_REQUEST, ReadLimiter } from './read-limiter.ts'
import { keepPauses, stopParsing } from './stop-reading.ts'
import { watchStall } from './watch-stall.ts'

/** The connections of the admin port and the answers that clients haven't read yet. */
export type AdminConnections = {
  /**
   * Notes a request and discards its body; the connection of a chunked or long body closes after the answer. Returns
   * false where the request gets no answer: its connection was cut for too many requests at once, or closes.
   */
  add(request: IncomingMessage, response: ServerResponse): boolean
  /** Sends the body of an answer, and cuts the connection if its reader stalls; several answers may share the bytes. */
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

class TrackedConnection implements PausableReader {
  readonly since = performance.now()
  readonly #socket: Socket
  readonly #readLimiter: ReadLimiter
  #requests = 0
  #isPaused = false
  #hadAnswer = false
  /** The number of bytes after which nothing more is read; infinite unless the connection closes. */
  #lastByte = Number.POSITIVE_INFINITY
  readonly #costs: ReadCosts

  constructor(socket: Socket, readLimiter: ReadLimiter) {
    this.#socket = socket
    this.#readLimiter = readLimiter
    this.#costs = new ReadCosts(socket, readLimiter, this)
  }

  /** The number of requests whose answers haven't left. */
  get requests(): number {
    return this.#requests
  }

  get isProven(): boolean {
    return this.#hadAnswer && !this.sentSmallPieces
  }

  get router(): string {
    return ''
  }

  get network(): string {
    return ''
  }

  get sentSmallPieces(): boolean {
    return this.#costs.sentSmallPieces
  }

  /** True once the answer to a chunked or long body is the connection's last one. */
  get closes(): boolean {
    return this.#lastByte < Number.POSITIVE_INFINITY
  }

  /** True while nothing may be read, although node's parser or a body's stream asks for more. */
  get mustPause(): boolean {
    return this.#isPaused || this.#socket.bytesRead > this.#lastByte
  }

  begin(request: IncomingMessage, response: ServerResponse): void {
    this.#costs.countRequest(request, this.#socket.bytesRead)
    this.#requests += 1
    if (this.#requests > 1) this.#costs.countSmallPieces(PIECES_OF_REQUEST)
    const fields = request.rawHeaders.length
    if (fields > MANY_FIELDS) this.#costs.countSmallPieces(fields)
    response.on('close', () => {
      this.#requests -= 1
      this.#hadAnswer = true
      this.#readLimiter.noteKind(this)
    })
  }

  pause(): void {
    this.#isPaused = true
    this.#socket.pause()
  }

  resume(): void {
    this.#isPaused = false
    if (!this.mustPause) this.#socket.resume()
  }

  /** Discards a body. Returns false for one that isn't read to its end: its answer is the connection's last one. */
  discardBody(request: IncomingMessage): boolean {
    if (drainBody(request, this)) return true
    this.#lastByte = this.#socket.bytesRead + DRAIN_BYTES
    stopParsing(this.#socket)
    return false
  }

  /** Counts the bytes of a read that belong to no body. */
  endRead(): void {
    this.#costs.endRead(0)
    this.#readLimiter.noteRead(this)
  }

  /** Counts a chunk of a body. */
  countPiece(bytes: number): void {
    this.#costs.countPiece(bytes)
  }
}

/** Tracks the connections of a server and cuts surplus connections, so that probes and scrapes can always connect. */
export function trackAdminConnections(server: Server): AdminConnections {
  /** Ordered from the oldest. */
  const connections = new Map<Socket, TrackedConnection>()
  /** Ordered from the oldest; the value is the answer's size in bytes. */
  const answers = new Map<ServerResponse, number>()
  const readLimiter = new ReadLimiter()
  let waitingBytes = 0
  let surplusTimer: NodeJS.Timeout | undefined
  server.on('connection', (socket: Socket) => {
    const connected = new TrackedConnection(socket, readLimiter)
    connections.set(socket, connected)
    readLimiter.add(connected)
    watchReads(socket, () => connected.endRead())
    keepPauses(socket, () => connected.mustPause)
    socket.on('close', () => {
      connections.delete(socket)
      readLimiter.remove(connected)
    })
    if (connections.size > maxSimultaneous) endOldest(connections.size - maxSimultaneous, 0)
    else if (connections.size > maxConnections && surplusTimer === undefined)
      surplusTimer = setTimeout(endSurplus, 2 * newMs)
  })
  return { add, end }

  function add(request: IncomingMessage, response: ServerResponse): boolean {
    const { socket } = request
    const connected = connections.get(socket)
    if (connected === undefined || connected.closes) return false
    connected.begin(request, response)
    if (connected.requests > maxRequests) {
      cut(socket)
      stopParsing(socket)
      return false
    }
    if (announcedBytes(request) > 0 && !connected.discardBody(request)) response.setHeader('connection', 'close')
    return true
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
