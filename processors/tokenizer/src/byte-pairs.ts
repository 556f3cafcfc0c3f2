/** Sequences of bytes, one character (U+0000 to U+00FF) a byte, → how early they are merged; the lowest first. */
export type Ranks = ReadonlyMap<string, number>

const NEVER = Number.POSITIVE_INFINITY

/**
 * How many tokens byte pair encoding makes of a piece: neighbours are merged, the lowest rank first and of equals the left
 * one, until no two make a token. Time grows with the square of the length, so the caller bounds it.
 */
export function countBytePairs(bytes: string, ranks: Ranks): number {
  if (ranks.has(bytes)) return 1
  /** Where each part starts, and at the end where the last one ends. */
  const starts = Array.from({ length: bytes.length + 1 }, (_, index) => index)
  /** Of each part: the rank of it together with the next one. */
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
