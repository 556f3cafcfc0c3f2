/** Random numbers that repeat for the same seed (mulberry32). */
export type Random = {
  /** Returns 0 … count - 1. */
  below(count: number): number
  pick<T>(from: readonly T[]): T
  chance(probability: number): boolean
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (count: number): number => Math.floor(next() * count)
  return {
    below,
    pick: (from) => {
      const one = from[below(from.length)]
      if (one === undefined) throw new Error('nothing to pick from')
      return one
    },
    chance: (probability) => next() < probability,
  }
}
