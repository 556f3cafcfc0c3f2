import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { BareBytes } from './parsed-reads.ts'
import {
  BYTES_OF_PIECE,
  MANY_FIELDS,
  MANY_PIECES,
  type PausableReader,
  PIECES_OF_REQUEST,
  type ReadLimiter,
} from './read-limiter.ts'

/** Up to `MANY_FIELDS`, this many names and values count as a piece of an ordinary call. */
const fieldsOfPiece = 4
/** A longer target, which may have thousands of parameters or escapes, counts for the read limiter. */
const longTarget = 4 * 1024
/** The characters of a long target that take as long as a piece. */
const pieceOfTarget = 4
/**
 * Pieces with a smaller average count as small. The average includes the bytes of heads, so that a body in one piece
 * never counts as small.
 */
const SMALL_PIECE_BYTES = 64

/** Counts what a connection's requests cost node's parser, and reports it to the read limiter of the port. */
export class ReadCosts {
  readonly #socket: Socket
  readonly #limiter: ReadLimiter
  readonly #reader: PausableReader
  readonly #bareBytes: BareBytes
  /** The pieces of bodies since the last report to the limiter. */
  #pieces = 0
  #bytesReadAtReport = 0
  #sentSmallPieces = false
  #bodyBytes = 0
  #headFields = 0
  /** `#headFields` with the trailers before the head. */
  #fields = 0

  constructor(socket: Socket, limiter: ReadLimiter, reader: PausableReader) {
    this.#socket = socket
    this.#limiter = limiter
    this.#reader = reader
    this.#bareBytes = new BareBytes(socket)
  }

  /** True for a connection that sent many small pieces in a row, or as costly heads or targets. */
  get sentSmallPieces(): boolean {
    return this.#sentSmallPieces
  }

  /** The bytes of all bodies. */
  get bodyBytes(): number {
    return this.#bodyBytes
  }

  /** The most bytes that may have arrived behind the last byte of a body. */
  get trailerBytes(): number {
    return this.#bareBytes.behindBody
  }

  /** The names and values of a head that has not arrived completely. */
  get headFields(): number {
    return this.#headFields
  }

  /** Counts a request whose head has arrived among the first `bytesRead` bytes of the connection. */
  countRequest(request: IncomingMessage, bytesRead: number): void {
    const target = request.url ?? ''
    this.#bareBytes.noteHead(request, bytesRead)
    this.#headFields = 0
    this.#fields = 0
    this.#limiter.countEvent(PIECES_OF_REQUEST, this.#reader)
    if (target.length > longTarget) this.countSmallPieces(target.length / pieceOfTarget)
  }

  /** Counts names and values of a head, or of trailers, that has not arrived completely. */
  countFields(count: number, isTrailer: boolean): void {
    if (!isTrailer) this.#headFields += count
    this.#fields += count
    if (this.#fields > MANY_FIELDS) this.countSmallPieces(count)
    else this.#limiter.countEvent(count / fieldsOfPiece, this.#reader)
  }

  /**
   * Counts a piece of a body. The count doesn't begin again with each body, since a segment may hold many pipelined
   * calls.
   */
  countPiece(bytes: number): void {
    this.#bodyBytes += bytes
    if (bytes >= BYTES_OF_PIECE) this.#limiter.countEvent(bytes / BYTES_OF_PIECE, this.#reader)
    this.#pieces += 1
    if (this.#pieces < MANY_PIECES) return
    this.#pieces = 0
    const { bytesRead } = this.#socket
    if (bytesRead - this.#bytesReadAtReport < MANY_PIECES * SMALL_PIECE_BYTES) this.#noteSmallPieces()
    this.#bytesReadAtReport = bytesRead
    this.#limiter.countPieces(MANY_PIECES, this.#reader)
  }

  /** Counts what takes as long as many small pieces. */
  countSmallPieces(pieces: number): void {
    this.#noteSmallPieces()
    this.#limiter.countPieces(pieces, this.#reader)
  }

  /** Notes bytes of a chunked body that node's parser hands over. */
  noteArrival(bytes: number): void {
    this.#bareBytes.noteArrival(bytes)
  }

  /** Counts the bytes of a read that belong to no body; `keptBytes` of a body wait for their reader. */
  endRead(keptBytes: number): void {
    this.#limiter.countEvent(this.#bareBytes.endRead(this.#bodyBytes + keptBytes), this.#reader)
  }

  #noteSmallPieces(): void {
    this.#sentSmallPieces = true
    this.#limiter.noteKind(this.#reader)
  }
}
