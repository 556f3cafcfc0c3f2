export type TurnLimits = {
  /** The number of routers' works at the same time. */
  readonly places: number
  /** The maximum number of waiting works. */
  readonly waiting: number
}

type Enter = (hasTurn: boolean) => void

/** Lets routers take turns at a few places, so that a router waits for one work of each other router, not for all. */
export class RouterTurns {
  readonly #mostWaiting: number
  #free: number
  #waiting = 0
  /** Ordered by turn: the next router comes first. A router without waiting work has no line. */
  readonly #lines = new Map<string, Enter[]>()

  constructor({ places, waiting }: TurnLimits) {
    this.#free = places
    this.#mostWaiting = waiting
  }

  /**
   * Resolves with true once the router has a place, which `leave` gives back. Resolves with false where too many wait:
   * the router with the most waiting works loses its newest.
   */
  enter(router: string): Promise<boolean> {
    if (this.#free > 0) {
      this.#free -= 1
      return Promise.resolve(true)
    }
    const line = this.#lines.get(router) ?? []
    if (this.#waiting >= this.#mostWaiting) {
      const longest = longestOf(this.#lines)
      if (longest.length <= line.length + 1) return Promise.resolve(false)
      longest.pop()?.(false)
      this.#waiting -= 1
    }
    this.#waiting += 1
    this.#lines.set(router, line)
    return new Promise((resolve) => line.push(resolve))
  }

  leave(): void {
    for (const [router, line] of this.#lines) {
      const enter = line.shift()
      this.#lines.delete(router)
      if (line.length > 0) this.#lines.set(router, line)
      this.#waiting -= 1
      enter?.(true)
      return
    }
    this.#free += 1
  }
}

function longestOf(lines: ReadonlyMap<string, Enter[]>): Enter[] {
  let longest: Enter[] = []
  for (const line of lines.values()) if (line.length > longest.length) longest = line
  return longest
}
