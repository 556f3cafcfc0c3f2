import { FairQueue } from '../work/fair-queue.ts'
import { TurnQueue } from '../work/turn-queue.ts'

/** The room in the record queue that a call or a record needs. */
export type RoomRequest = {
  readonly bytes: number
  /** Large requests wait in a line of their own, so that small requests pass them. */
  readonly isLarge: boolean
}

/** A call or a record that waits for room in the record queue. */
type Waiter = {
  readonly router: string
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
 * is slower than the calls slows them down instead of losing their records. Large records don't hold up small calls.
 * In each line the routers take turns, so that a call waits for one record of each other router and not for all.
 */
export class RecordRoom {
  readonly #small = new FairQueue<Waiter>()
  readonly #large = new FairQueue<Waiter>()
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
    return this.#lineOf(request).isEmpty && this.#fits(request)
  }

  /**
   * Calls `taken` with true once there is room, with false after the time. `taken` must use the room at once, before
   * the next waiter is checked.
   */
  wait(router: string, request: RoomRequest, taken: (hasRoom: boolean) => void, timeoutMs = this.#timeoutMs): void {
    const timer = setTimeout(() => this.#end(waiter, false), timeoutMs)
    const waiter: Waiter = { router, request, sinceMs: performance.now(), settle: taken, timer }
    this.#lineOf(request).add(router, waiter)
  }

  /**
   * Resolves like `wait` for a call. A call uses its room only when its record is made, so that hundreds may find room
   * at once; each of them begins its work then, and a turn of the event loop has time for a few. Calls with a short
   * body don't wait behind calls with a long body then.
   */
  waitForCall(router: string, request: RoomRequest, bodyBytes: number): Promise<boolean> {
    const calls = bodyBytes > SHORT_BODY_BYTES ? this.#longCalls : this.#shortCalls
    return new Promise((resolve) => this.wait(router, request, (hasRoom) => calls.add(() => resolve(hasRoom))))
  }

  /** Serves waiters after records left the queue. */
  serve(): void {
    for (const line of [this.#small, this.#large]) {
      for (let { first } = line; first !== undefined && this.#fits(first.request); { first } = line) {
        line.takeFirst()
        settle(first, true)
      }
    }
  }

  /** Ends every wait without room. */
  endAll(): void {
    for (const line of [this.#small, this.#large]) {
      for (let waiter = line.takeFirst(); waiter !== undefined; waiter = line.takeFirst()) settle(waiter, false)
    }
  }

  #lineOf({ isLarge }: RoomRequest): FairQueue<Waiter> {
    return isLarge ? this.#large : this.#small
  }

  #isOld(line: FairQueue<Waiter>): boolean {
    for (const { sinceMs } of line.oldest()) if (performance.now() - sinceMs > this.#timeoutMs / 2) return true
    return false
  }

  #end(waiter: Waiter, hasRoom: boolean): void {
    this.#lineOf(waiter.request).delete(waiter.router, waiter)
    settle(waiter, hasRoom)
  }
}

function settle({ timer, settle: taken }: Waiter, hasRoom: boolean): void {
  clearTimeout(timer)
  taken(hasRoom)
}
