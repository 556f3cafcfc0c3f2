import { FairQueue } from '../work/fair-queue.ts'
import { TurnQueue } from '../work/turn-queue.ts'

/** The room in the record queue that a call or a record needs. */
export type RoomRequest = {
  readonly router: string
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

/** The queue's answers about the room for a request. */
export type RoomCheck = {
  fits(request: RoomRequest): boolean
  /**
   * Returns false where the room that is left is kept for other routers, or the missing room may stay taken until the bus
   * returns: only the request's router waits then.
   */
  hasShare(request: RoomRequest): boolean
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
  readonly #check: RoomCheck
  readonly #timeoutMs: number
  readonly #shortCalls = new TurnQueue(MAX_CALLS)
  readonly #longCalls = new TurnQueue(MAX_CALLS)
  #waitingBytes = 0

  constructor(check: RoomCheck, timeoutMs: number) {
    this.#check = check
    this.#timeoutMs = timeoutMs
  }

  /** The bytes that all waiters need. */
  get waitingBytes(): number {
    return this.#waitingBytes
  }

  /** Returns true where a waiter that `counts` has waited for more than half of the timeout. */
  isSlow(counts: (request: RoomRequest) => boolean): boolean {
    return this.#isOld(this.#small, counts) || this.#isOld(this.#large, counts)
  }

  /** Returns true where nobody in the request's line has the turn and the queue has room. */
  isFree(request: RoomRequest): boolean {
    const { fits, hasShare } = this.#check
    return this.#nextOf(this.#lineOf(request)) === undefined && hasShare(request) && fits(request)
  }

  /**
   * Calls `taken` with true once there is room, with false after the time. `taken` must use the room at once, before
   * the next waiter is checked.
   */
  wait(request: RoomRequest, taken: (hasRoom: boolean) => void, timeoutMs = this.#timeoutMs): void {
    const timer = setTimeout(() => this.#endWithoutRoom(waiter), timeoutMs)
    const waiter: Waiter = { request, sinceMs: performance.now(), settle: taken, timer }
    this.#lineOf(request).add(request.router, waiter)
    this.#waitingBytes += request.bytes
  }

  /**
   * Resolves like `wait` for a call. A call uses its room only when its record is made, so that hundreds may find room
   * at once; each of them begins its work then, and a turn of the event loop has time for a few. Calls with a short
   * body don't wait behind calls with a long body then.
   */
  waitForCall(request: RoomRequest, bodyBytes: number): Promise<boolean> {
    return new Promise((resolve) => this.wait(request, (hasRoom) => this.beginCall(bodyBytes, () => resolve(hasRoom))))
  }

  /** Calls `begin` in a later turn that has time for a call with such a body. */
  beginCall(bodyBytes: number, begin: () => void): void {
    const calls = bodyBytes > SHORT_BODY_BYTES ? this.#longCalls : this.#shortCalls
    calls.add(begin)
  }

  /** Serves waiters after records left the queue. */
  serve(): void {
    for (const line of [this.#small, this.#large]) {
      for (
        let next = this.#nextOf(line);
        next !== undefined && this.#check.fits(next.request);
        next = this.#nextOf(line)
      ) {
        const { router } = next.request
        line.takeFirst((owner) => owner === router)
        this.#settle(next, true)
      }
    }
  }

  /** Ends every wait without room. */
  endAll(): void {
    for (const line of [this.#small, this.#large]) {
      for (let waiter = line.takeFirst(); waiter !== undefined; waiter = line.takeFirst()) this.#settle(waiter, false)
    }
  }

  #lineOf({ isLarge }: RoomRequest): FairQueue<Waiter> {
    return isLarge ? this.#large : this.#small
  }

  /** The waiter that has the turn; routers without a share are passed over. */
  #nextOf(line: FairQueue<Waiter>): Waiter | undefined {
    return line.find(({ request }) => this.#check.hasShare(request))
  }

  #isOld(line: FairQueue<Waiter>, counts: (request: RoomRequest) => boolean): boolean {
    for (const { sinceMs, request } of line.oldest()) {
      if (performance.now() - sinceMs > this.#timeoutMs / 2 && counts(request)) return true
    }
    return false
  }

  #endWithoutRoom(waiter: Waiter): void {
    this.#lineOf(waiter.request).delete(waiter.request.router, waiter)
    this.#settle(waiter, false)
    // The waiter may have had the turn.
    this.serve()
  }

  #settle({ request, timer, settle }: Waiter, hasRoom: boolean): void {
    clearTimeout(timer)
    this.#waitingBytes -= request.bytes
    settle(hasRoom)
  }
}
