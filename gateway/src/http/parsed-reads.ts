import type { Socket } from 'node:net'
import { objectOf } from './parsed-fields.ts'
import type { ReadLimiter } from './read-limiter.ts'

/** The name of the parser's property for the function that follows each parsed read of its socket (`kOnExecute`). */
const AFTER_READ = '5'
/** This many bytes that belong to no body count as a piece: a megabyte of chunk extensions takes some 8 ms to parse. */
const BARE_BYTES_OF_PIECE = 512

/**
 * Counts the bytes of a connection that belong to no body for the limiter: heads, empty lines in front of them, and the
 * sizes and extensions of chunks. Node's parser tells nobody about most of them, and libuv reads up to 2 MiB of a
 * connection in one turn of the event loop. To be called once node's server has the socket. `bodyBytes` returns the bytes
 * of all bodies that the parser has handed over.
 */
export function countBareBytes(
  socket: Socket,
  limiter: Pick<ReadLimiter, 'countEvent'>,
  bodyBytes: () => number,
): void {
  const parser = objectOf(socket, 'parser')
  const afterRead: unknown = parser === undefined ? undefined : Reflect.get(parser, AFTER_READ)
  if (parser === undefined || typeof afterRead !== 'function') return
  let counted = 0
  Reflect.set(parser, AFTER_READ, (parsed: unknown) => {
    const bareBytes = socket.bytesRead - bodyBytes()
    // A reader may count a body twice that was collected before, so that the difference may become smaller.
    if (bareBytes > counted) limiter.countEvent((bareBytes - counted) / BARE_BYTES_OF_PIECE)
    counted = bareBytes
    afterRead.call(parser, parsed)
  })
}
