/** Does an act of a party once there is room for it. */
export type FairLimit = <T>(party: string, act: () => Promise<T>) => Promise<T>

/** Returns a limit of `most` acts at once, `share` of a party. Parties whose acts wait take turns. */
export function createFairLimit(most: number, share: number): FairLimit {
  const waiting = new Map<string, (() => void)[]>()
  const running = new Map<string, number>()
  let all = 0
  const begin = (party: string): void => {
    all += 1
    running.set(party, (running.get(party) ?? 0) + 1)
  }
  const end = (party: string): void => {
    all -= 1
    const rest = (running.get(party) ?? 0) - 1
    if (rest > 0) running.set(party, rest)
    else running.delete(party)
  }
  const isFree = (party: string): boolean => all < most && (running.get(party) ?? 0) < share
  /** Begins the next act. Its party goes behind the others. */
  const next = (): void => {
    for (const [party, acts] of waiting) {
      if (!isFree(party)) continue
      const act = acts.shift()
      waiting.delete(party)
      if (acts.length > 0) waiting.set(party, acts)
      begin(party)
      act?.()
      return
    }
  }
  return async (party, act) => {
    if (isFree(party)) begin(party)
    else {
      const acts = waiting.get(party) ?? []
      waiting.set(party, acts)
      await new Promise<void>((resolve) => acts.push(resolve))
    }
    try {
      return await act()
    } finally {
      end(party)
      next()
    }
  }
}
