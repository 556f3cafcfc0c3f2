import { copyBytes } from './copy-bytes.ts'

/** The most bytes that a small piece may keep in memory: a usual answer's head and body arrive in fewer. */
const FEW_BYTES = 4 * 1024

/**
 * Returns the piece, copied where it would keep a larger buffer in memory. A piece is a view of the bytes that its
 * connection has read at once: extensions of chunks leave one byte of body in 64 KiB, and a connection that waited joins
 * its bytes to buffers of some hundred KiB.
 */
export function withoutRest(piece: Buffer): Buffer {
  const held = piece.buffer.byteLength
  return held <= FEW_BYTES || held < 2 * piece.length ? piece : copyBytes(piece)
}
