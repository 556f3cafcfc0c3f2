import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { MemoryShare } from '../memory/memory-account.ts'
import type { TurnQueue } from '../work/turn-queue.ts'
import { callerNetwork } from './caller-network.ts'
import type { Arriving, ServedConnection } from './connection-bound.ts'
import { cutAnswer } from './cut-answer.ts'
import { FailedHead } from './failed-head.ts'
import { lingerAtEnd, stopLingering } from './linger.ts'
import type { FieldCounter } from './parsed-fields.ts'
import type { PortState } from './port-state.ts'
import { type BodyFailure, type EndBodyReading, isChunked } from './read-body.ts'
import { ReadCosts } from './read-costs.ts'
import { MANY_FIELDS, type PausableReader, PIECES_OF_CLOSING, PIECES_OF_REQUEST } from './read-limiter.ts'
import { UnreadBody } from './unread-body.ts'
import { type ArrivedRequest, type WaitingRequest, WaitingRequests } from './waiting-requests.ts'

/**
 * A caller's connection, whose calls run one after another.
 * The state of a call that depends on its connection is kept here, not in a Map or Set of the process: a growing table
 * points from its old storage to the new one, so that old storage in V8's old generation retains later calls until a
 * full collection (measured: up to 9 KB of each call).
 */
export class InboundConnection implements PausableReader, ServedConnection, FieldCounter {
  /** The share of the memory account that the connection's calls hold. */
  readonly share = new MemoryShare()
  readonly network: string
  readonly #socket: Socket
  readonly #port: PortState
  readonly #waiting: WaitingRequests
  #current: ServerResponse | undefined
  #answers = 0
  /** The bytes read when the last answer had left; undefined before the first answer has left. */
  #bytesReadAtAnswer: number | undefined
  #bytesReadAtHead = 0
  /** The body of the current call until it is read. */
  #unread: UnreadBody | undefined
  #endBody: EndBodyReading | undefined
  #nextBodyFailure: BodyFailure | undefined
  #failedHead: FailedHead | undefined
  #isRefused = false
  #closes = false
  #lingers = false
  #isPaused = false
  #isBodyHeld = false
  #resumedMs = 0
  #router = ''
  readonly #costs: ReadCosts

  constructor(socket: Socket, port: PortState) {
    this.network = callerNetwork(socket.remoteAddress)
    this.#socket = socket
    this.#port = port
    this.#waiting = new WaitingRequests(port)
    this.#costs = new ReadCosts(socket, port.readLimiter, this)
    // A caller that closes its side has left, unless its answer is fully written (docs/reference/http.md#answers).
    socket.on('end', () => {
      port.readLimiter.countEvent(PIECES_OF_CLOSING, this)
      this.#waiting.drop()
      if (this.#current?.writableEnded === false) socket.destroy()
    })
    port.readLimiter.add(this)
    socket.on('close', () => {
      port.readLimiter.remove(this)
      this.#waiting.drop()
    })
  }

  /** True once the connection's last answer is decided; later requests on it aren't calls (RFC 9112, 9.6). */
  get closes(): boolean {
    return this.#closes || this.#lingers
  }

  get cancels(): TurnQueue {
    return this.#port.cancels
  }

  closeAfterAnswer(): void {
    this.#closes = true
  }

  /** Where the connection closes behind an answer, the rest of a refused body is first read for a while and dropped. */
  lingerFor(body: IncomingMessage): void {
    if (body.complete) return
    const begin = (): void => {
      this.#lingers = true
    }
    lingerAtEnd(this.#socket, body, { lingerMs: this.#port.lingerMs, begin })
  }

  get lingers(): boolean {
    return this.#lingers
  }

  get hasCall(): boolean {
    return this.#current !== undefined
  }

  get answers(): number {
    return this.#answers
  }

  get bytesRead(): number {
    return this.#socket.bytesRead
  }

  /** The bytes read when the last head had arrived. */
  get bytesReadAtHead(): number {
    return this.#bytesReadAtHead
  }

  /** Bytes of trailers are no progress of a body, and of a head only its first byte is. */
  get progress(): number {
    switch (this.arriving) {
      case 'head':
        return this.#beginOfHead + (this.#socket.bytesRead > this.#beginOfHead ? 1 : 0)
      case 'chunked body':
        return this.#costs.bodyBytes
      default:
        return this.#socket.bytesRead
    }
  }

  get arriving(): Arriving {
    const request = this.#last
    if (request === undefined || request.complete) return this.#lingers ? 'body' : 'head'
    return isChunked(request) ? 'chunked body' : 'body'
  }

  get unreadBytes(): number {
    return this.waitingBytes + (this.#unread?.length ?? 0) + (this.#current?.req.readableLength ?? 0)
  }

  get waitingBytes(): number {
    return this.#waiting.bytes
  }

  get trailerBytes(): number {
    return this.#costs.trailerBytes
  }

  get headFields(): number {
    return this.#costs.headFields
  }

  get keepsFailedHead(): boolean {
    return this.#failedHead?.isKept === true
  }

  get isPaused(): boolean {
    return this.#isPaused
  }

  get resumedMs(): number {
    return this.#resumedMs
  }

  /** True while nothing may be read, although the reader of a body asks for more. */
  get mustPause(): boolean {
    return this.#isPaused || this.#waiting.areTooMany
  }

  get isProven(): boolean {
    return this.#bytesReadAtAnswer !== undefined && !this.sentSmallPieces
  }

  get router(): string {
    return this.#router
  }

  /** Notes the router of the current call. */
  noteRouter(path: string): void {
    if (path === this.#router) return
    this.#router = path
    this.#noteKind()
  }

  get sentSmallPieces(): boolean {
    return this.#costs.sentSmallPieces
  }

  pause(): void {
    this.#isPaused = true
    this.#socket.pause()
  }

  resume(): void {
    this.#isPaused = false
    this.#resumedMs = performance.now()
    if (!this.#isFull()) this.#socket.resume()
  }

  holdBody(isHeld: boolean): void {
    this.#isBodyHeld = isHeld
  }

  /** Counts a piece of a body. Each reader of a body calls this before it takes the piece. */
  countPiece(bytes: number): void {
    this.#costs.countPiece(bytes)
  }

  noteArrival(bytes: number): void {
    this.#costs.noteArrival(bytes)
  }

  /** Counts the bytes of a read that belong to no body. */
  endRead(): void {
    // The stream of a declared body keeps the bytes that arrive before their reader.
    this.#costs.endRead(this.#last?.readableLength ?? 0)
    this.#port.readLimiter.noteRead(this)
  }

  countFields(count: number, isTrailer: boolean): void {
    this.#costs.countFields(count, isTrailer)
  }

  /** Counts a head that is refused below the level of requests, like a request. */
  countRefusedHead(): void {
    this.#port.readLimiter.countEvent(PIECES_OF_REQUEST, this)
  }

  /** Returns true the first time: a connection has one refusal below the level of requests, which ends it. */
  takeRefusal(): boolean {
    const isFirst = !this.#isRefused
    this.#isRefused = true
    return isFirst
  }

  /** Begins the call after the calls before it. */
  enqueue(call: ArrivedRequest): void {
    this.#bytesReadAtHead = this.#socket.bytesRead
    // The rest of a late head may arrive after all.
    this.#failedHead = undefined
    this.#costs.countRequest(call.request, this.#bytesReadAtHead)
    const waits = this.#current !== undefined
    const collects = waits || isChunked(call.request)
    const unread = collects ? new UnreadBody(call.request, this) : undefined
    if (waits) this.#addWaiting({ ...call, unread })
    else this.#begin({ ...call, unread })
  }

  /** Lets the current call read its body. */
  releaseBody(): void {
    this.#unread?.release()
    this.#unread = undefined
  }

  /** Opens the body of the current call; calls `end` at once where the parser has already stopped. */
  openBody(end: EndBodyReading): void {
    this.#endBody = end
    if (this.#nextBodyFailure !== undefined) end(this.#nextBodyFailure)
  }

  /** Closes the body unless the next request's body is open already. */
  closeBody(end: EndBodyReading): void {
    if (this.#endBody === end) this.#endBody = undefined
  }

  /**
   * Notes that the parser has stopped within the body of the current call. The call answers, which may read its body later
   * or have ended its reading before. Returns false where all of the body had arrived.
   */
  breakBody(ending: BodyFailure): boolean {
    if (this.#current?.req.complete !== false) return false
    this.#nextBodyFailure = ending
    this.#endBody?.(ending)
    return true
  }

  /**
   * Notes that the parser has stopped while an earlier answer is unfinished: within the body of the last request, which
   * then ends with `ending`, or behind that request. In the second case `refuse` answers after the last answer, and a head
   * of many lines ends the connection at once, since node's parser keeps its lines as long as the socket is open. A late
   * head of a paused connection has some more time behind the answer, since its rest may lie unread.
   */
  failLater(ending: BodyFailure, refuse: () => void): void {
    if (this.#last?.complete !== true) this.#nextBodyFailure = ending
    else if (this.headFields > MANY_FIELDS) this.cut()
    else if (this.#failedHead?.isUnread !== false) {
      this.#failedHead = new FailedHead(ending, this.#isPaused, refuse)
    }
  }

  /** Ends the connection where no call runs and no byte of the next call has arrived. */
  endIfIdle(): void {
    if (this.#current === undefined && this.#bytesReadAtAnswer === this.#socket.bytesRead) this.#endUnlessLingering()
  }

  endIfNoCall(): void {
    if (this.#current === undefined) this.#endUnlessLingering()
  }

  /** Ends the connection once everything written has left, to make room for others: it doesn't linger. */
  end(): void {
    stopLingering(this.#socket)
    this.#socket.destroySoon()
  }

  /** Ends the current call with 408 if its body has not arrived completely; returns false otherwise. */
  endSlowBody(): boolean {
    const isSlow = this.#current?.req.complete === false
    return isSlow && this.#endBody?.({ kind: 'refused', code: 'REQUEST_TIMEOUT' }) === true
  }

  endPartBehindCall(): boolean {
    if (this.#current?.req.complete !== true) return false
    this.cut()
    return true
  }

  /** Ends the connection at once. */
  cut(): void {
    if (this.#current !== undefined) cutAnswer(this.#current)
    // An answer that is written completely has no socket any more, so that its cut closes no connection.
    this.#socket.destroy()
  }

  /** The most bytes that were read before the head that arrives. */
  get #beginOfHead(): number {
    return Math.max(this.#bytesReadAtHead, this.#bytesReadAtAnswer ?? 0)
  }

  /** The last request whose head has arrived. */
  get #last(): IncomingMessage | undefined {
    return this.#waiting.last?.request ?? this.#current?.req
  }

  #begin({ request, response, begin, unread }: WaitingRequest): void {
    this.#current = response
    this.#unread = unread
    response.on('close', () => this.#end())
    begin(request, response)
  }

  /** Ends the current call. While calls wait, the connection keeps it as the current one until the next one begins. */
  #end(): void {
    this.#answers += 1
    this.#bytesReadAtAnswer = this.#socket.bytesRead
    this.#noteKind()
    // Behind an answer that closed the connection no request is served.
    if (!this.#socket.writable) this.#waiting.drop()
    else if (this.#current?.req.complete === false) dropHeaders(this.#current.req)
    this.#beginNext()
  }

  #noteKind(): void {
    if (this.#isPaused) this.#port.readLimiter.noteKind(this)
  }

  #addWaiting(call: WaitingRequest): void {
    this.#waiting.add(call)
    if (this.#waiting.areMany) this.#costs.countSmallPieces(PIECES_OF_REQUEST)
    if (this.#waiting.mustBeCut) this.#socket.destroy()
    // Below the bounds reading goes on, since only reading shows that a caller has left.
    else if (this.#isFull()) this.#socket.pause()
  }

  #isFull(): boolean {
    return this.#waiting.areTooMany || this.#isBodyHeld || this.#isBodyFull()
  }

  /** Returns true while the body that arrives has paused the connection, which only its reader may resume. */
  #isBodyFull(): boolean {
    const last = this.#waiting.last
    const request = last?.request ?? this.#current?.req
    if (request === undefined || request.complete) return false
    const unread = last === undefined ? this.#unread : last.unread
    return unread?.isFull === true || request.readableLength >= request.readableHighWaterMark
  }

  #beginNext(): void {
    // The answers to thousands of pipelined calls may all leave within one turn.
    if (!this.#waiting.isEmpty && !this.#port.begins.take()) {
      setImmediate(() => this.#beginNext())
      return
    }
    this.#current = undefined
    const call = this.#waiting.takeFirst()
    if (call === undefined) {
      const failed = this.#failedHead
      if (failed?.isUnread === false && this.#socket.writable) failed.refuse()
      else if (this.#port.draining) this.#endUnlessLingering()
      else failed?.refuseUnread(() => this.#failedHead === failed && this.#socket.writable)
      return
    }
    this.#begin(call)
    if (!this.#isFull() && !this.#isPaused) this.#socket.resume()
  }

  /** A connection that lingers ends soon anyway, and a second end would cut its caller off. */
  #endUnlessLingering(): void {
    if (!this.#lingers) this.#socket.destroySoon()
  }
}

/** Node's parser keeps an answered request until its body has arrived, which may take as long as its caller likes. */
function dropHeaders(request: IncomingMessage): void {
  request.rawHeaders = []
  request.headers = {}
}
