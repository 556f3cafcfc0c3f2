import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Share } from '../memory/memory-account.ts'
import type { EarlyEnd, EndBody } from './read-body.ts'
import type { ReadTurns, TurnReader } from './read-turns.ts'

/** What the connections of a port have in common. */
export type Port = {
  /** Requests that wait for their turn, on all connections. */
  waiting: number
  draining: boolean
  readonly turns: ReadTurns
}

/** A request, and how its call begins. */
export type Arrived = {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly begin: RequestListener
}

/** More than this waiting on one connection, and nothing more is read from it for now. */
const mostWaiting = 16
const mostWaitingBytes = 16 * 1024
/**
 * Node parses all of a segment of 64 KiB, which may hold 3,000 requests. Where this many wait on all connections
 * together, one that has more than a few of them is cut.
 */
const mostWaitingInAll = 2_000
const fewWaiting = 8

/**
 * One connection of a caller, whose calls run one after another.
 *
 * What is known of a call by its connection stands here, in no Map or Set that lives as long as the process: these point
 * from each table that they outgrow to the next one, so that a dead table which V8 has moved to the old generation keeps
 * all later calls until a full collection (measured: up to 9 KB of each call).
 */
export class InboundConnection implements TurnReader {
  /** The part of the account that the connection's calls hold. */
  readonly share = new Share()
  readonly #socket: Socket
  readonly #port: Port
  readonly #waiting: Arrived[] = []
  #waitingBytes = 0
  #current: ServerResponse | undefined
  /** Bytes that had been read when the last answer had left; undefined before the first call. */
  #readThen: number | undefined
  #endBody: EndBody | undefined
  #broken: EarlyEnd | undefined
  #closes = false
  #isPaused = false
  #sentManyPieces = false

  constructor(socket: Socket, port: Port) {
    this.#socket = socket
    this.#port = port
    // A caller that closes its side has gone, unless its answer is written already (docs/reference/http.md#answers).
    socket.on('end', () => {
      this.#drop()
      if (this.#current?.writableEnded === false) socket.destroy()
    })
    socket.on('close', () => this.#drop())
  }

  /** True once the last answer is decided: what comes behind it is no call (RFC 9112, 9.6). */
  get closes(): boolean {
    return this.#closes
  }

  closeAfterAnswer(): void {
    this.#closes = true
  }

  get isPaused(): boolean {
    return this.#isPaused
  }

  get isProven(): boolean {
    return this.#readThen !== undefined && !this.#sentManyPieces
  }

  pause(): void {
    this.#isPaused = true
    this.#socket.pause()
  }

  resume(): void {
    this.#isPaused = false
    if (!this.#isFull()) this.#socket.resume()
  }

  /** A body brings many small pieces, some of them in this turn. */
  notePieces(): void {
    this.#sentManyPieces = true
    this.#port.turns.notePieces()
  }

  /** Begins the call in its turn. */
  take(call: Arrived): void {
    if (this.#current === undefined) this.#begin(call)
    else this.#wait(call)
  }

  /** A body is read from now on; `end` is called at once where the parser has stopped meanwhile. */
  openBody(end: EndBody): void {
    this.#endBody = end
    if (this.#broken !== undefined) end(this.#broken)
  }

  /** Does nothing where the next request's body is open already. */
  closeBody(end: EndBody): void {
    if (this.#endBody === end) this.#endBody = undefined
  }

  /** Ends the reading of the open body; false where there is none, or all of it had come: then it isn't this call's. */
  breakBody(ending: EarlyEnd): boolean {
    return this.#endBody?.(ending) === true
  }

  /** The parser has stopped while a call waits for its turn: how that call's body ends. */
  breakNextBody(ending: EarlyEnd): void {
    this.#broken = ending
  }

  /** Between two calls, with no byte of the next one. */
  endWhenIdle(): void {
    if (this.#current === undefined && this.#readThen === this.#socket.bytesRead) this.#socket.destroySoon()
  }

  endUnlessCalled(): void {
    if (this.#current === undefined) this.#socket.destroySoon()
  }

  #begin({ request, response, begin }: Arrived): void {
    this.#current = response
    response.on('close', () => this.#next())
    begin(request, response)
  }

  #wait(call: Arrived): void {
    this.#waiting.push(call)
    this.#port.waiting += 1
    for (const text of call.request.rawHeaders) this.#waitingBytes += text.length
    if (this.#port.waiting > mostWaitingInAll && this.#waiting.length > fewWaiting) this.#socket.destroy()
    // Below that it is read on: a caller that leaves is only seen by reading.
    else if (this.#isFull()) this.#socket.pause()
  }

  #isFull(): boolean {
    return this.#waiting.length > mostWaiting || this.#waitingBytes > mostWaitingBytes
  }

  #next(): void {
    this.#current = undefined
    this.#readThen = this.#socket.bytesRead
    // After an answer that closes the connection nothing behind it is a call.
    if (!this.#socket.writable) this.#drop()
    const call = this.#waiting.shift()
    if (call === undefined) {
      if (this.#port.draining) this.#socket.destroySoon()
      return
    }
    this.#port.waiting -= 1
    for (const text of call.request.rawHeaders) this.#waitingBytes -= text.length
    this.#begin(call)
    if (!this.#isFull() && !this.#isPaused) this.#socket.resume()
  }

  #drop(): void {
    this.#port.waiting -= this.#waiting.length
    this.#waiting.length = 0
    this.#waitingBytes = 0
  }
}
