/** The slowest path to the bus that counts as working, in bytes per millisecond: 1 MB/s. */
const SLOWEST_BYTES_PER_MS = 1_000
/** The speed of a path from which records don't move to disk while they are on their way: 10 MB/s. */
const USUAL_BYTES_PER_MS = 10_000

/** The longest time in milliseconds that bytes are on their way on a path that works. */
export function longestTransferMs(bytes: number): number {
  return bytes / SLOWEST_BYTES_PER_MS
}

export function usualTransferMs(bytes: number): number {
  return bytes / USUAL_BYTES_PER_MS
}
