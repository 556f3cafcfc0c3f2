export type ConcurrencyLimit = <T>(act: () => Promise<T>) => Promise<T>

/** Returns a limit of `most` acts at once. Further acts wait in order. */
export function createConcurrencyLimit(most: number): ConcurrencyLimit {
  const waiting: (() => void)[] = []
  let running = 0
  return async (act) => {
    if (running >= most) await new Promise<void>((resolve) => waiting.push(resolve))
    running += 1
    try {
      return await act()
    } finally {
      running -= 1
      waiting.shift()?.()
    }
  }
}
