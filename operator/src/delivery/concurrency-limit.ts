export type ConcurrencyLimit = <T>(act: () => Promise<T>) => Promise<T>

/** Returns a limit of `most` acts at once. Further acts wait in order. */
export function createConcurrencyLimit(most: number): ConcurrencyLimit {
  const waiting: (() => void)[] = []
  let running = 0
  return async (act) => {
    if (running >= most) await new Promise<void>((resolve) => waiting.push(resolve))
    else running += 1
    try {
      return await act()
    } finally {
      // The place goes to the next act at once. A free place could be taken before that act goes on.
      const next = waiting.shift()
      if (next === undefined) running -= 1
      else next()
    }
  }
}
