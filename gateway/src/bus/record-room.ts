import { TurnQueue } from '../work/turn-queue.ts'

/** The room in the record queue that a call or a record needs. */
export type RoomRequest = {
  readonly bytes: number
  /** Large requests wait in a line of their own, so that small requests pass them. */
  readonly isLarge: boolean
}

/** A call or a record that waits for room in the record queue. */
type Waiter = {
  readonly request: RoomRequest
  readonly sinceMs: number
  readonly settle: (hasRoom: boolean) => void
  readonly timer: NodeJS.Timeout
}

/** The most calls of a kind that begin in one turn after they have waited. */
const MAX_CALLS = 8
const SHORT_BODY_BYTES = 16 * 1024

/**
 * Two lines of waiters for room in the record queue, for small and for large requests of calls and records. A bus that
 * is slower than the calls slows them down instead of losing their records, and large records don't hold up small
 * calls.
 */
export class RecordRoom {
  readonly #small = new Set<Waiter>()
  readonly #large = new Set<Waiter>()
  readonly #fits: (request: RoomRequest) => boolean
  readonly #timeoutMs: number
  readonly #shortCalls = new TurnQueue(MAX_CALLS)
  readonly #longCalls = new TurnQueue(MAX_CALLS)

  /** `fits` returns true where the queue has room for a request. */
  constructor(fits: (request: RoomRequest) => boolean, timeoutMs: number) {
    this.#fits = fits
    this.#timeoutMs = timeoutMs
  }

  /** True where a waiter has waited for more than half of the timeout. */
  get isSlow(): boolean {
    return this.#isOld(this.#small) || this.#isOld(this.#large)
  }

  /** Returns true where the request's line is empty and the queue has room. */
  isFree(request: RoomRequest): boolean {
    return this.#lineOf(request).size === 0 && this.#fits(request)
  }

  /**
   * Calls `taken` with true once there is room, with false after the time. `taken` must use the room at once, before
   * the next waiter is checked.
   */
  wait(request: RoomRequest, taken: (hasRoom: boolean) => void, timeoutMs = this.#timeoutMs): void {
    const timer = setTimeout(() => this.#end(waiter, false), timeoutMs)
    const waiter: Waiter = { request, sinceMs: performance.now(), settle: taken, timer }
    this.#lineOf(request).add(waiter)
  }

  /**
   * Resolves like `wait` for a call. A call uses its room only when its record is made, so that hundreds may find room at
   * once; each of them begins its work then, and a turn of the event loop has time for a few. Calls with a short body
   * don't wait behind others then.
   */
  waitForCall(request: RoomRequest, bodyBytes: number): Promise<boolean> {
    const calls = bodyBytes > SHORT_BODY_BYTES ? this.#longCalls : this.#shortCalls
    return new Promise((resolve) => this.wait(request, (hasRoom) => calls.add(() => resolve(hasRoom))))
  }

  /** Serves waiters after records left the queue. */
  serve(): void {
    for (const line of [this.#small, this.#large]) {
      for (const waiter of line) {
        if (!this.#fits(waiter.request)) break
        this.#end(waiter, true)
      }
    }
  }

  /** Ends every wait without room. */
  endAll(): void {
    for (const line of [this.#small, this.#large]) for (const waiter of line) this.#end(waiter, false)
  }

  #lineOf({ isLarge }: RoomRequest): Set<Waiter> {
    return isLarge ? this.#large : this.#small
  }

  #isOld(line: ReadonlySet<Waiter>): boolean {
    const first: Waiter | undefined = line.values().next().value
    return first !== undefined && performance.now() - first.sinceMs > this.#timeoutMs / 2
  }

  #end(waiter: Waiter, hasRoom: boolean): void {
    this.#lineOf(waiter.request).delete(waiter)
    clearTimeout(waiter.timer)
    waiter.settle(hasRoom)
  }
}
