import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { objectOf } from './parsed-fields.ts'

/** The name of the parser's property for the function that follows each parsed read of its socket (`kOnExecute`). */
const AFTER_READ = '5'
/** This many bytes that belong to no body count as a piece: a megabyte of chunk extensions takes some 8 ms to parse. */
const BARE_BYTES_OF_PIECE = 512
/** The heads of a shorter read aren't measured, since most reads are a request of one head. */
const SHORT_READ_BYTES = 4 * 1024
/** The bytes of a request's line and of a header line that are no part of its target, name or value. */
const BYTES_OF_LINES = { request: 16, header: 4 } as const

/**
 * Calls `onRead` after each read of a socket that node's parser has parsed. The first bytes of a new connection are no
 * such read, and their end is told by NewConnection. To be called once node's server has the socket.
 */
export function watchReads(socket: Socket, onRead: () => void): void {
  const parser = objectOf(socket, 'parser')
  const afterRead: unknown = parser === undefined ? undefined : Reflect.get(parser, AFTER_READ)
  if (parser === undefined || typeof afterRead !== 'function') return
  Reflect.set(parser, AFTER_READ, (parsed: unknown) => {
    onRead()
    afterRead.call(parser, parsed)
  })
}

/**
 * The bytes of a connection that belong to no body: parts of heads, empty lines in front of them, sizes and extensions of
 * chunks, and trailers. Node's parser tells nobody about most of them, and libuv reads up to 2 MiB of a connection in one
 * turn of the event loop. Of a read in which heads end, the bytes of these heads aren't counted in pieces: each request
 * counts already, and with the bytes of long heads a crowd of them made other callers wait twice as long.
 */
export class BareBytes {
  readonly #socket: Socket
  #counted = 0
  /** The bytes of the heads that have ended in this read; infinite where the read is too short to matter. */
  #headBytes = 0
  /** All bytes of the connection at the end of the last read. */
  #readBytes = 0
  /** The bytes of a body that have arrived since the last read. */
  #arrived = 0
  /** All bytes at the begin of the last read that brought bytes of a body, and these bytes. */
  #withBody = 0

  constructor(socket: Socket) {
    this.#socket = socket
  }

  /** Notes the end of a request's head, among the first `bytesRead` bytes of the connection. */
  noteHead(request: IncomingMessage, bytesRead: number): void {
    const isShort = bytesRead - this.#readBytes < SHORT_READ_BYTES
    this.#headBytes += isShort ? Number.POSITIVE_INFINITY : bytesOfHead(request)
  }

  /** Notes bytes of a body that node's parser hands over. */
  noteArrival(bytes: number): void {
    this.#arrived += bytes
  }

  /** Notes the end of a read. Returns its bytes without a body in pieces; `bodyBytes` are those of all bodies. */
  endRead(bodyBytes: number): number {
    const { bytesRead } = this.#socket
    if (this.#arrived > 0) this.#withBody = this.#readBytes + this.#arrived
    this.#arrived = 0
    this.#readBytes = bytesRead
    const bare = bytesRead - bodyBytes
    // A reader may count a body twice that was collected before, so that the difference may become smaller.
    const pieces = Math.max(0, bare - this.#counted - this.#headBytes) / BARE_BYTES_OF_PIECE
    this.#headBytes = 0
    this.#counted = bare
    return pieces
  }

  /** The most bytes that may have arrived behind the last byte of a body. */
  get behindBody(): number {
    return this.#socket.bytesRead - this.#withBody - this.#arrived
  }
}

function bytesOfHead({ url = '', rawHeaders }: IncomingMessage): number {
  const lines = BYTES_OF_LINES.request + url.length + (rawHeaders.length / 2) * BYTES_OF_LINES.header
  return rawHeaders.reduce((bytes, text) => bytes + text.length, lines)
}
