/** Byte sequences, one character (U+0000 to U+00FF) per byte, → merge rank; the lowest rank is merged first. */
export type Ranks = ReadonlyMap<string, number>

const NEVER = Number.POSITIVE_INFINITY

/**
 * Counts the tokens of a piece by byte pair encoding: merges neighbours, the lowest rank first and among equals the
 * leftmost, until no pair is a token. Time grows with the square of the length, so the caller must bound it.
 */
export function countBytePairs(bytes: string, ranks: Ranks): number {
  if (ranks.has(bytes)) return 1
  /** The start of each part, and at the end the total length. */
  const starts = Array.from({ length: bytes.length + 1 }, (_, index) => index)
  /** Returns the rank of a part joined with the next part. */
  const rankAt = (part: number): number => ranks.get(bytes.slice(starts[part], starts[part + 2])) ?? NEVER
  const pairs = Array.from({ length: Math.max(0, bytes.length - 1) }, (_, part) => rankAt(part))
  for (let lowest = indexOfLowest(pairs); lowest !== undefined; lowest = indexOfLowest(pairs)) {
    starts.splice(lowest + 1, 1)
    pairs.splice(lowest, 1)
    if (lowest < pairs.length) pairs[lowest] = rankAt(lowest)
    if (lowest > 0) pairs[lowest - 1] = rankAt(lowest - 1)
  }
  return starts.length - 1
}

function indexOfLowest(pairs: readonly number[]): number | undefined {
  let lowest = NEVER
  let index: number | undefined
  for (let part = 0; part < pairs.length; part += 1) {
    const rank = pairs[part] ?? NEVER
    if (rank >= lowest) continue
    lowest = rank
    index = part
  }
  return index
}
