type PlaceRequest = {
  /** The same object for all calls of a caller. */
  readonly caller: object
  /** Aborted when the caller no longer waits for the answer. */
  readonly left: AbortSignal
}

type Waiting = { readonly caller: object; readonly begin: () => void }

/**
 * Lets a few calls run at once. A free place goes to the caller with the fewest running calls, among equals in the order
 * of arrival. One caller has at most half of the waiting calls.
 */
export class Places {
  readonly #places: number
  readonly #mostWaiting: number
  /** The callers of the running calls. */
  readonly #running: object[] = []
  readonly #waiting: Waiting[] = []

  constructor({ places, waiting }: { readonly places: number; readonly waiting: number }) {
    this.#places = places
    this.#mostWaiting = waiting
  }

  /** Runs the work once it has a place. Resolves with undefined if too many wait already, or if the caller has left. */
  async run<T>(request: PlaceRequest, work: () => Promise<T>): Promise<T | undefined> {
    const { caller, left } = request
    if (left.aborted) return undefined
    if (this.#running.length < this.#places) this.#running.push(caller)
    else if (!(await this.#wait(request))) return undefined
    try {
      return await work()
    } finally {
      this.#running.splice(this.#running.indexOf(caller), 1)
      this.#next()
    }
  }

  /** Resolves with true once the call has a place. */
  #wait({ caller, left }: PlaceRequest): Promise<boolean> {
    const own = this.#waiting.filter((waiting) => waiting.caller === caller).length
    if (this.#waiting.length >= this.#mostWaiting || own >= this.#mostWaiting / 2) return Promise.resolve(false)
    return new Promise((resolve) => {
      const leave = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1)
        resolve(false)
      }
      const begin = (): void => {
        left.removeEventListener('abort', leave)
        resolve(true)
      }
      const waiting = { caller, begin }
      left.addEventListener('abort', leave, { once: true })
      this.#waiting.push(waiting)
    })
  }

  #next(): void {
    const counts = this.#waiting.map(({ caller }) => this.#running.filter((running) => running === caller).length)
    const [next] = this.#waiting.splice(counts.indexOf(Math.min(...counts)), 1)
    if (next === undefined) return
    // Counted at once: no other call may take the place before this one begins.
    this.#running.push(next.caller)
    next.begin()
  }
}
