/** Sizes that wait apart from each other, so that no long message holds up a short one. */
export type Lane = 'short' | 'long' | 'huge'

export const LANES = ['short', 'long', 'huge'] as const satisfies readonly Lane[]

const KIB = 1024
/**
 * A message of this size is parsed and walked in a few milliseconds whatever it holds (16 KiB of `{},` 3 ms, of prose
 * scored by the content filter 4 ms), so the main thread may.
 */
const SHORT_BYTES = 16 * KIB
/** The size of a long prompt; above it are documents, pictures and floods. */
const LONG_BYTES = 512 * KIB

export function laneOf(bytes: number): Lane {
  if (bytes <= SHORT_BYTES) return 'short'
  return bytes <= LONG_BYTES ? 'long' : 'huge'
}
