import type { Socket } from 'node:net'
import { callerNetwork } from './caller-network.ts'
import type { FirstBytes } from './first-bytes.ts'
import { FirstHead } from './first-head.ts'
import { FIRST_READ_BYTES, type FirstReads } from './first-read.ts'
import { type PausableReader, PIECES_OF_REQUEST } from './read-limiter.ts'

const LINE_END = Buffer.from('\r\n')
const HEAD_END = Buffer.from('\r\n\r\n')
/** First bytes with more heads or lines than this hold pipelined requests or small pieces of a body. */
const MOST_HEADS = 8
const MOST_LINES = MOST_HEADS * PIECES_OF_REQUEST
/** The first bytes that wait on all connections, and the reading of them. */
export type FirstParts = { readonly firstBytes: FirstBytes; readonly firstReads: FirstReads }

/** Counts the bytes of a read; to be called once the parser has had them. */
export type EndRead = () => void

/**
 * A connection that was accepted but not given to node's HTTP server yet. Node's parser can't stop within the bytes of
 * one read, which may hold 3,000 requests, while looking at these bytes takes some microseconds. The server has set
 * `pauseOnConnect`, so that nothing is read before the look.
 */
export class NewConnection implements PausableReader {
  readonly #socket: Socket
  readonly #firstBytes: FirstBytes
  readonly #firstReads: FirstReads
  readonly #serve: () => EndRead
  #first: Buffer | undefined
  #network: string | undefined

  /** `serve` gives the socket to the server. */
  constructor(socket: Socket, { firstBytes, firstReads }: FirstParts, serve: () => EndRead) {
    this.#socket = socket
    this.#firstBytes = firstBytes
    this.#firstReads = firstReads
    this.#serve = serve
    // Without a listener an error would end the process.
    socket.on('error', ignore)
    socket.on('close', () => this.#drop())
  }

  /** Reads the first bytes; the next turn has them if they have arrived. */
  look(): void {
    this.#firstReads.read(this.#socket, (bytes) => {
      this.#first = bytes
    })
  }

  /** Ends the look. Returns true where the connection must wait in the limiter, since parsing its first bytes takes long. */
  endLook(): boolean {
    const socket = this.#socket
    this.#firstReads.end(socket)
    // The socket has told its end already, and tells it only once.
    if (socket.destroyed) this.#first = undefined
    const first = this.#first
    if (first === undefined || !hasManyPieces(first)) return false
    this.#firstBytes.add(this, first.length)
    return !socket.destroyed
  }

  /** Ends the connection and drops its first bytes, which would be held beyond the bound. */
  cut(): void {
    this.#first = undefined
    this.#socket.destroy()
  }

  /** The first bytes that wait here; 0 where none have arrived. */
  get firstBytes(): number {
    return this.#first?.length ?? 0
  }

  /** The head of the first request; undefined where it hasn't arrived completely. */
  get head(): FirstHead | undefined {
    return this.#first === undefined ? undefined : FirstHead.of(this.#first)
  }

  get network(): string {
    // A closed socket has no address any more.
    this.#network ??= callerNetwork(this.#socket.remoteAddress)
    return this.#network
  }

  serve(): void {
    const socket = this.#socket
    this.#firstBytes.remove(this)
    // The server would wait for the end that the socket has already told.
    if (socket.readableEnded) socket.destroySoon()
    if (socket.readableEnded || socket.destroyed) return
    const first = this.#first
    this.#first = undefined
    const endRead = this.#serve()
    socket.resume()
    if (first === undefined) return
    // The bytes are given after the tick in which the socket resumes, since that tick would undo a pause, and before
    // the server reads further bytes.
    process.nextTick(() => {
      if (socket.destroyed) return
      socket.emit('data', first)
      endRead()
    })
  }

  get isProven(): boolean {
    return false
  }

  get sentSmallPieces(): boolean {
    return true
  }

  get router(): string {
    return ''
  }

  get resumesAlone(): boolean {
    return true
  }

  pause(): void {
    // Nothing is read before `serve`.
  }

  resume(): void {
    this.serve()
  }

  /** Drops the first bytes of a connection that closes while it waits in the limiter, which then never serves it. */
  #drop(): void {
    // Other connections are served although they have closed, and those who serve them count their first bytes.
    if (this.#firstBytes.remove(this)) this.#first = undefined
  }
}

function ignore(): void {
  // The socket closes after an error.
}

function hasManyPieces(bytes: Buffer): boolean {
  // A longer head may have thousands of parameters or escapes.
  if (bytes.length === FIRST_READ_BYTES && !bytes.includes(HEAD_END)) return true
  return count(bytes, HEAD_END, MOST_HEADS) > MOST_HEADS || count(bytes, LINE_END, MOST_LINES) > MOST_LINES
}

/** Counts up to one above `most`. */
function count(bytes: Buffer, searched: Buffer, most: number): number {
  let found = 0
  for (let at = bytes.indexOf(searched); at !== -1 && found <= most; at = bytes.indexOf(searched, at + searched.length))
    found += 1
  return found
}
