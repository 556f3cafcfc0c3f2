/** The window in bytes that a narrowed stream declares; matches reach back 16 bytes less (RFC 7932, 9.1). */
const NARROW_WINDOW = 2 ** 18

/** A narrowed stream decodes to the same bytes up to this length. */
export const NARROW_DECODED_BYTES = NARROW_WINDOW - 16

/** RFC 7932, 9.1: the four bits `n` and 1, from the highest, with `n` from 1 to 7, declare a window of 2^(17 + n) bytes. */
const FOUR_BITS = 0x0f
const NUMBER_BITS = 0x0e
const WINDOW_OF_18_BITS = 0x03

/**
 * Returns a brotli stream whose window is at most 256 KiB. Node's decoder fills its window before it gives out a byte,
 * so that 53 bytes that declare 4 MiB take 9 ms of CPU, whatever number of decoded bytes is allowed.
 */
export function narrowWindow(coded: Buffer): Buffer {
  const first = coded[0] ?? 0
  if ((first & 1) === 0 || (first & NUMBER_BITS) === 0) return coded
  const narrowed = Buffer.from(coded)
  narrowed[0] = (first & ~FOUR_BITS) | WINDOW_OF_18_BITS
  return narrowed
}
