import type { Socket } from 'node:net'
import { watchStall } from '../http/watch-stall.ts'
import type { CallMemory } from '../memory/memory-account.ts'
import { type FieldsOptions, isOverloaded, overloaded, UnfinishedFields } from './answer-fields.ts'
import { ConnectionEnds, type EndingConnection } from './connection-ends.ts'
import { ConnectionReading, HOLD } from './connection-reading.ts'
import { IdleBound, type IdlePlace } from './idle-bound.ts'
import type { BodyFailure } from './inbound-body.ts'
import { InterimAnswers } from './interim-answers.ts'
import { isBehindLastChunk } from './last-chunk.ts'
import type { PacedConnection } from './own-ends.ts'
import { PIECE_BYTES } from './parse-times.ts'
import { type AnswerConnection, ReadTurns } from './read-turns.ts'
import { upstreamCode } from './upstream-code.ts'

/** After an early answer the rest of the body is sent until the LLM API takes no byte for this time in milliseconds. */
const lingerStallMs = 4_000
/** The longest time in milliseconds that the rest of a body is sent after an early answer. */
const lingerMs = 30_000

/**
 * An LLM API that answers with an error counts as having read a body up to this size. A larger body may still be
 * unread in the operating system's buffers.
 */
const surelyReadBytes = 256 * 1024

/** A connection with this many session tickets ends; servers send two to four behind a handshake. */
const MOST_TICKETS = 32
/** The session tickets that a request makes up for: a count that each request began anew would end no connection. */
const TICKETS_OF_REQUEST = 4

const events = ['readable', 'end', 'error', 'close', 'drain'] as const
type Listener = (...parameters: readonly unknown[]) => void

/** A call that undici is about to write to a connection. */
export type ConnectionReceiver = {
  /** The call's part of the memory account. */
  readonly account: CallMemory
  takeConnection(connection: OutboundConnection): void
}

/** The connections that undici keeps, tracked from their opening. */
export class OutboundConnections {
  readonly #turns = new ReadTurns()
  readonly #ends = new ConnectionEnds()
  readonly #idle = new IdleBound()
  readonly #fields: FieldsOptions
  #sender: ConnectionReceiver | undefined

  constructor(fields: FieldsOptions) {
    this.#fields = fields
  }

  /** Gives `sender` the connection to which undici writes next; called immediately before undici writes. */
  expectWrite(sender: ConnectionReceiver): void {
    this.#sender = sender
  }

  /**
   * A call to the LLM API must wait for this promise, unless it is undefined: idle connections of the LLM API aren't read
   * until then.
   */
  readIdle(origin: string): Promise<void> | undefined {
    return this.#ends.readIdle(origin)
  }

  /** The promise for which calls wait; undefined while none waits. */
  get awaitedRead(): Promise<void> | undefined {
    return this.#ends.awaitedRead
  }

  /**
   * Follows a socket to an LLM API; must be called before undici gets the socket. `isWanted` returns true while a call has
   * or awaits the connection.
   */
  track(socket: Socket, origin: string, isWanted: () => boolean): OutboundConnection {
    const parts = { origin, isWanted, turns: this.#turns, ends: this.#ends, idle: this.#idle, fields: this.#fields }
    const connection = new OutboundConnection(socket, parts)
    const { write, uncork } = socket
    const followed = (...parameters: Parameters<Socket['write']>): boolean => {
      if (this.#sender !== undefined) {
        connection.expectAnswer(this.#sender.account)
        this.#sender.takeConnection(connection)
        this.#sender = undefined
      }
      const isBelowMark = Reflect.apply(write, socket, parameters)
      connection.noteWrite()
      return isBelowMark
    }
    Object.defineProperty(socket, 'write', { value: followed, configurable: true, writable: true })
    // undici writes a head and its body behind each other, and uncorks both at once.
    socket.uncork = () => {
      uncork.call(socket)
      connection.noteWrite()
    }
    return connection
  }
}

type OutboundParts = {
  readonly origin: string
  readonly isWanted: () => boolean
  readonly turns: ReadTurns
  readonly ends: ConnectionEnds
  readonly idle: IdleBound
  readonly fields: FieldsOptions
}

/** A connection to an LLM API, between undici and its socket. */
export class OutboundConnection implements AnswerConnection, EndingConnection, PacedConnection {
  readonly origin: string
  readonly socket: Socket
  readonly reading: ConnectionReading
  pieceBytes: number = PIECE_BYTES.most
  readonly #isWanted: () => boolean
  readonly #turns: ReadTurns
  readonly #fields: UnfinishedFields
  readonly #place: IdlePlace
  readonly #interim = new InterimAnswers()
  readonly #own: ReadonlyMap<string, ReadonlySet<unknown>>
  readonly #read: Socket['read']
  #wasRead = false
  /** The bytes that undici has got since the last question for more. */
  #parsedBytes = 0
  #isIdle = true
  #step = 0
  /** The session tickets for which no request has made up. */
  #tickets = 0
  #answeredEarly = false
  #hasLastChunk = false
  /** True for a connection that has answered a request. */
  #isKept = false
  /** True while a request on a kept connection has not been written. */
  #isUnsent = false
  #tookNothing = false
  /** The bytes of a held body that were read from the system, as counted in the call's memory. */
  #readAhead = 0
  /** The bytes of a held body that count beside the account. */
  #spareBytes = 0

  constructor(socket: Socket, { origin, isWanted, turns, ends, idle, fields }: OutboundParts) {
    this.origin = origin
    this.#isWanted = isWanted
    this.socket = socket
    this.reading = new ConnectionReading(socket)
    this.#turns = turns
    this.#fields = new UnfinishedFields(socket, fields)
    this.#place = idle.open(this)
    ends.add(this)
    turns.add(this)
    socket.on('close', () => {
      turns.remove(this)
      this.#place.close()
      // undici frees its parser in its own listener, and then reports the error of the answer.
      this.#hasLastChunk = isBehindLastChunk(Reflect.get(socket, fields.parserKey))
    })
    const noteEnd = (): void => ends.noteEnd(this)
    for (const event of ['end', 'error', 'close']) socket.on(event, noteEnd)
    socket.on('session', () => this.#noteTicket(ends))
    // Node reports an error of an established TLS connection without ending the connection, and undici waits for its end.
    socket.on('error', (error) => socket.destroy(error))
    this.#own = new Map(events.map((event) => [event, new Set(socket.rawListeners(event))]))
    this.#read = socket.read.bind(socket)
    socket.read = (size?: number) => this.#readNow(size)
  }

  readOn(): void {
    this.#wasRead = false
    if (this.socket.readableLength > 0) this.socket.emit('readable')
  }

  get wasRead(): boolean {
    return this.#wasRead
  }

  /** `account` is the call's part of the memory account. */
  expectAnswer(account: CallMemory): void {
    this.#interim.expect()
    this.#fields.expect(account)
    this.#isIdle = false
    this.#place.noteBusy()
    this.#isUnsent = this.#isKept
    this.#step += 1
    this.#tickets = Math.max(0, this.#tickets - TICKETS_OF_REQUEST)
    this.#answeredEarly = false
  }

  /** To be called behind each write; the first one of a request takes all of it, or as much as the system has room for. */
  noteWrite(): void {
    if (!this.#isUnsent || this.socket.writableCorked > 0) return
    this.#isUnsent = false
    // Later failures are told in a later task.
    this.#tookNothing = this.socket.errored !== null
  }

  /** True where the connection had ended before its last request, so that the write failed and no byte has left. */
  get tookNothing(): boolean {
    return this.#tookNothing
  }

  get isIdle(): boolean {
    return this.#isIdle
  }

  get isWanted(): boolean {
    return this.#isWanted()
  }

  /** Changes with each request, each answer's head and each answer's end. */
  get step(): number {
    return this.#step
  }

  /** True where the connection broke before the LLM API closed its side. */
  get isBroken(): boolean {
    return this.socket.destroyed && !this.socket.readableEnded
  }

  /**
   * Returns the code of an answer that broke off with `error`. undici's own error depends on the answer's framing, so
   * that the end of the connection decides.
   */
  codeOf(error: Error): BodyFailure {
    if (isOverloaded(this.socket.errored ?? error)) return 'OVERLOADED'
    return this.socket.readableEnded ? 'UPSTREAM_RESET' : upstreamCode(this.socket.errored ?? error)
  }

  /**
   * Reads nothing more while the answer's body is paused, and counts the bytes that were read already; where there is
   * no room for them, not even beside the account, the connection ends. `account` is the call's part of the account.
   */
  holdBody(account: CallMemory): void {
    if (this.#isHeld) return
    this.reading.hold(HOLD.body)
    // undici's parser is still running, and gives back its unread bytes only when the parser returns.
    queueMicrotask(() => {
      this.#turns.noteStop(this)
      this.#countReadAhead(account)
    })
  }

  releaseBody(account: CallMemory): void {
    if (!this.#isHeld) return
    account.release(this.#readAhead)
    this.#readAhead = 0
    if (this.#spareBytes > 0) account.releaseSpare(this.#spareBytes)
    this.#spareBytes = 0
    this.reading.release(HOLD.body)
  }

  /** Notes the time for bytes that were read before their consumer was there. */
  noteConsumed(bytes: number, ms: number): void {
    if (!this.socket.destroyed) this.#turns.noteConsumed(this, bytes, ms)
  }

  get #isHeld(): boolean {
    return this.reading.isHeldFor(HOLD.body)
  }

  /** True where the connection closed between the last chunk of an answer and the end of its trailers. */
  get hasLastChunk(): boolean {
    return this.#hasLastChunk
  }

  /** Ends the counting of lines that have not arrived completely; called when the call is over. */
  leaveFields(): void {
    this.#fields.leave()
  }

  /** Notes the head of the final answer. */
  noteAnswer(status: number, bodyBytes: number): void {
    this.#fields.release()
    this.#step += 1
    this.#answeredEarly = this.socket.writableLength > 0 || (status >= 400 && bodyBytes > surelyReadBytes)
  }

  /**
   * Notes the end of the answer. A connection whose request body isn't sent completely takes no further call
   * (docs/reference/http.md#connections-to-the-llm-api). `account` is the call's part of the memory account.
   */
  noteEnd(account: CallMemory): void {
    this.#isIdle = true
    this.#isKept = true
    this.reading.releaseAll()
    this.#step += 1
    // undici's parser is still running: the connection leaves the pool after the parser has returned.
    if (this.#answeredEarly) queueMicrotask(() => this.#leavePool(account))
    else this.#place.noteIdle()
  }

  /**
   * Tells only undici that the connection has closed; the rest of the body is still sent to an LLM API that reads it.
   * undici has no function for this: it keeps a connection after a whole answer, or destroys it with the body.
   */
  #leavePool(account: CallMemory): void {
    const socket = this.socket
    if (socket.destroyed) return
    socket.read = this.#read
    const closeListeners = this.#added('close')
    for (const event of events) for (const listener of this.#added(event)) socket.off(event, listener)
    for (const listener of closeListeners) listener.call(socket, false)
    // No call depends on the connection any more.
    socket.on('error', () => undefined)
    // Nothing belongs behind the answer. An LLM API that sends on would be read outside of the turns.
    socket.on('data', () => socket.destroy())
    socket.unref()
    socket.destroySoon()
    destroyWhenStalled(socket)
    countUnsent(socket, account)
  }

  /** Returns undici's next bytes; null where there are none, or where they have to wait for a later turn. */
  #readNow(size: number | undefined): unknown {
    const socket = this.socket
    for (;;) {
      // undici reads on once it has parsed the bytes before.
      const error = this.#fields.note(this.#parsedBytes)
      this.#parsedBytes = 0
      if (error !== undefined) {
        socket.destroy(error)
        return null
      }
      // node itself calls read(0), which starts the reading and takes no bytes. A closed connection is read to its end,
      // and bytes that no call has asked for end the connection before its next call could take them for an answer.
      const isPaced = size !== 0 && !this.#isIdle && !socket.destroyed
      // Asked behind an answer's end too, since the question ends the time of the bytes before it.
      const mayRead = size === 0 || this.#turns.mayRead(this)
      if (isPaced && !mayRead && socket.readableLength > 0) {
        this.#turns.wait(this)
        return null
      }
      const chunk: unknown = this.#read(isPaced && socket.readableLength > this.pieceBytes ? this.pieceBytes : size)
      if (chunk !== null && isPaced) {
        this.#wasRead = true
        this.#turns.noteRead(this, Buffer.isBuffer(chunk) ? chunk.length : 0)
      }
      if (!Buffer.isBuffer(chunk)) return chunk
      const bytes = this.#interim.expects ? this.#interim.take(chunk) : chunk
      if (bytes === 'broken') {
        socket.destroy(
          Object.assign(new Error('malformed or endless interim answers'), { code: 'HPE_INTERIM_ANSWERS' }),
        )
        return null
      }
      if (bytes === undefined) continue
      this.#parsedBytes = bytes.length
      return bytes
    }
  }

  #noteTicket(ends: ConnectionEnds): void {
    ends.noteTicket(this)
    this.#tickets += 1
    // OpenSSL is still reading the connection.
    if (this.#tickets === MOST_TICKETS) setImmediate(() => this.socket.destroy(endlessTickets()))
  }

  #countReadAhead(account: CallMemory): void {
    // The body may go on, and pause again, before this microtask.
    if (!this.#isHeld || this.#readAhead > 0 || this.#spareBytes > 0) return
    const bytes = this.socket.readableLength
    if (account.hasRoom(bytes)) {
      account.add(bytes)
      this.#readAhead = bytes
    } else if (account.takeSpare(bytes)) this.#spareBytes = bytes
    else this.socket.destroy(overloaded('no room for what was read'))
  }

  #added(event: string): readonly Listener[] {
    const own = this.#own.get(event)
    return this.socket.rawListeners(event).filter((listener): listener is Listener => own?.has(listener) !== true)
  }
}

function endlessTickets(): Error {
  return Object.assign(new Error('session tickets without an end'), { code: 'ERR_TLS_TICKETS' })
}

/** Counts the rest of a body until the connection has taken it, since the call itself may end before. */
function countUnsent(socket: Socket, account: CallMemory): void {
  const rest = account.fork()
  rest.add(socket.writableLength)
  socket.on('close', () => rest.releaseAll())
}

function destroyWhenStalled(socket: Socket): void {
  const stall = watchStall(socket, lingerStallMs, () => socket.destroy()).unref()
  const end = setTimeout(() => socket.destroy(), lingerMs).unref()
  socket.on('close', () => {
    clearInterval(stall)
    clearTimeout(end)
  })
}
