/**
 * The most steps of calls in one turn of the event loop, at least half of them in any turn. A step takes some 50 to 100
 * microseconds: the call to the LLM API with the request's half of the record, or the answer with its record.
 */
export const STEPS_OF_TURN = 64

type Waiting = { readonly steps: (() => void)[]; next: number }

/**
 * Bounds the steps of calls in a turn of the event loop, and shares the turns between routers: thousands of calls may
 * arrive, or be answered, at one moment, and the calls of other routers would wait for all of them. Up to the bound a
 * step waits for nothing.
 */
export class CallTurns {
  #taken = 0
  #isArmed = false
  /** By router; a router without a waiting step has no entry. */
  readonly #routers = new Map<string, Waiting>()
  readonly #onTurn = (): void => this.#begin()

  /** Returns undefined where the step may go on at once, else a promise that resolves in a later turn. */
  take(router: string): Promise<void> | undefined {
    if (this.#taken < STEPS_OF_TURN && this.#routers.size === 0) {
      this.#taken += 1
      // Not in each turn: an immediate costs another look at the sockets.
      if (this.#taken >= STEPS_OF_TURN / 2) this.#arm()
      return undefined
    }
    return new Promise((resolve) => {
      const waiting = this.#routers.get(router)
      if (waiting === undefined) this.#routers.set(router, { steps: [resolve], next: 0 })
      else waiting.steps.push(resolve)
      this.#arm()
    })
  }

  #arm(): void {
    if (this.#isArmed) return
    this.#isArmed = true
    setImmediate(this.#onTurn)
  }

  /** Lets one step of each router go on after the other. */
  #begin(): void {
    this.#isArmed = false
    this.#taken = 0
    while (this.#taken < STEPS_OF_TURN) {
      const [first] = this.#routers
      if (first === undefined) break
      const [router, waiting] = first
      // Behind all others, so that each router has its turn.
      this.#routers.delete(router)
      waiting.steps[waiting.next]?.()
      waiting.next += 1
      if (waiting.next < waiting.steps.length) this.#routers.set(router, waiting)
      this.#taken += 1
    }
    if (this.#routers.size > 0 || this.#taken >= STEPS_OF_TURN / 2) this.#arm()
  }
}
