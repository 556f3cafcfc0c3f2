import type { Socket } from 'node:net'
import { objectOf } from './parsed-fields.ts'
import type { ReadLimiter } from './read-limiter.ts'

/** The name of the parser's property for the function that follows each parsed read of its socket (`kOnExecute`). */
const AFTER_READ = '5'
/** This many bytes that belong to no body count as a piece: a megabyte of chunk extensions takes some 8 ms to parse. */
const BARE_BYTES_OF_PIECE = 512

/** What node's parser has handed over of a connection. */
export type ParsedConnection = {
  /** The bytes of all bodies. */
  readonly bodyBytes: number
  /** The number of heads. */
  readonly heads: number
}

/**
 * Counts the bytes of a connection that belong to no request for the limiter: the sizes and extensions of chunks, empty
 * lines in front of a head, and parts of a head. Node's parser tells nobody about most of them, and libuv reads up to
 * 2 MiB of a connection in one turn of the event loop. A read in which a head ends isn't counted: each request counts
 * already, and with the bytes of long heads a crowd of them made other callers wait twice as long. To be called once
 * node's server has the socket.
 */
export function countBareBytes(
  socket: Socket,
  limiter: Pick<ReadLimiter, 'countEvent'>,
  connection: ParsedConnection,
): void {
  const parser = objectOf(socket, 'parser')
  const afterRead: unknown = parser === undefined ? undefined : Reflect.get(parser, AFTER_READ)
  if (parser === undefined || typeof afterRead !== 'function') return
  let counted = 0
  let headsBefore = 0
  Reflect.set(parser, AFTER_READ, (parsed: unknown) => {
    const { bodyBytes, heads } = connection
    const bareBytes = socket.bytesRead - bodyBytes
    // A reader may count a body twice that was collected before, so that the difference may become smaller.
    if (bareBytes > counted && heads === headsBefore) limiter.countEvent((bareBytes - counted) / BARE_BYTES_OF_PIECE)
    counted = bareBytes
    headsBefore = heads
    afterRead.call(parser, parsed)
  })
}
