/** A stream that is narrowed to 2^bits bytes decodes to the same bytes up to this length (RFC 7932, 9.1). */
export function narrowDecodedBytes(bits: number): number {
  return 2 ** bits - 16
}

/** RFC 7932, 9.1: the four bits `n` and 1, from the highest, with `n` from 1 to 7, declare a window of 2^(17 + n) bytes. */
const FOUR_BITS = 0x0f
const NUMBER_BITS = 0x0e
const LEAST_BITS = 17

/**
 * Returns a brotli stream whose window is at most 2^bits bytes, with `bits` from 18 to 24. Node's decoder fills its
 * window before it gives out a byte, so that 53 bytes that declare 4 MiB take 9 ms of CPU, whatever number of decoded
 * bytes is allowed.
 */
export function narrowWindow(coded: Buffer, bits: number): Buffer {
  const first = coded[0] ?? 0
  const number = (first & NUMBER_BITS) >> 1
  // A wider window would change the meaning of distances beyond the declared one.
  if ((first & 1) === 0 || LEAST_BITS + number <= bits) return coded
  const narrowed = Buffer.from(coded)
  narrowed[0] = (first & ~FOUR_BITS) | ((bits - LEAST_BITS) << 1) | 1
  return narrowed
}
