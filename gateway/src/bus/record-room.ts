import { FairQueue } from '../work/fair-queue.ts'

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
  /** Returns a text that changes wherever an answer of `hasShare` may change. */
  version(): string
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
  readonly #small: Line
  readonly #large: Line
  readonly #check: RoomCheck
  readonly #timeoutMs: number
  readonly #shortCalls = new CallLine()
  readonly #longCalls = new CallLine()
  #waitingBytes = 0

  constructor(check: RoomCheck, timeoutMs: number) {
    this.#check = check
    this.#small = new Line(check)
    this.#large = new Line(check)
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
    return this.#lineOf(request).next === undefined && hasShare(request) && fits(request)
  }

  /**
   * Calls `taken` with true once there is room, with false after the time. `taken` must use the room at once, before
   * the next waiter is checked.
   */
  wait(request: RoomRequest, taken: (hasRoom: boolean) => void, timeoutMs = this.#timeoutMs): void {
    const timer = setTimeout(() => this.#endWithoutRoom(waiter), timeoutMs)
    const waiter: Waiter = { request, sinceMs: performance.now(), settle: taken, timer }
    this.#lineOf(request).add(waiter)
    this.#waitingBytes += request.bytes
  }

  /**
   * Resolves like `wait` for a call. A call uses its room only when its record is made, so that hundreds may find room
   * at once; each of them begins its work then, and a turn of the event loop has time for a few. Calls with a short
   * body don't wait behind calls with a long body then.
   */
  waitForCall(request: RoomRequest, bodyBytes: number, timeoutMs = this.#timeoutMs): Promise<boolean> {
    return new Promise((resolve) => {
      const taken = (hasRoom: boolean): void => this.beginCall(request.router, bodyBytes, () => resolve(hasRoom))
      this.wait(request, taken, timeoutMs)
    })
  }

  /** Calls `begin` in a later turn that has time for a call of the router with such a body. */
  beginCall(router: string, bodyBytes: number, begin: () => void): void {
    const calls = bodyBytes > SHORT_BODY_BYTES ? this.#longCalls : this.#shortCalls
    calls.add(router, begin)
  }

  /** Serves waiters after records left the queue. */
  serve(): void {
    for (const line of [this.#small, this.#large]) {
      for (let { next } = line; next !== undefined && this.#check.fits(next.request); next = line.next) {
        line.take(next)
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

  #lineOf({ isLarge }: RoomRequest): Line {
    return isLarge ? this.#large : this.#small
  }

  #isOld(line: Line, counts: (request: RoomRequest) => boolean): boolean {
    for (const { sinceMs, request } of line.oldest()) {
      if (performance.now() - sinceMs > this.#timeoutMs / 2 && counts(request)) return true
    }
    return false
  }

  #endWithoutRoom(waiter: Waiter): void {
    this.#lineOf(waiter.request).delete(waiter)
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

/** Calls whose wait is over. A router may have thousands of them, and the calls of another router begin between them. */
class CallLine {
  readonly #waiting = new FairQueue<() => void>()
  readonly #onTurn = (): void => this.#run()

  add(router: string, begin: () => void): void {
    if (this.#waiting.isEmpty) setImmediate(this.#onTurn)
    this.#waiting.add(router, begin)
  }

  #run(): void {
    const calls: (() => void)[] = []
    for (let call = this.#waiting.takeFirst(); call !== undefined; call = this.#waiting.takeFirst()) {
      calls.push(call)
      if (calls.length === MAX_CALLS) break
    }
    if (!this.#waiting.isEmpty) setImmediate(this.#onTurn)
    for (const begin of calls) begin()
  }
}

/** The waiters of one line, and the one that has the turn. */
class Line {
  readonly #check: RoomCheck
  readonly #waiters = new FairQueue<Waiter>()
  /**
   * The waiter that has the turn in a version of the room. While the bus stores nothing, hundreds of routers may wait
   * without a share: each call, each record and each wait that ends would ask all of them again.
   */
  #turn: { readonly version: string; readonly waiter: Waiter | undefined } | undefined

  constructor(check: RoomCheck) {
    this.#check = check
  }

  /** The waiter that has the turn; routers without a share are passed over. */
  get next(): Waiter | undefined {
    if (this.#waiters.isEmpty) return undefined
    const version = this.#check.version()
    if (this.#turn?.version !== version) {
      const waiter = this.#waiters.find(({ request }) => this.#check.hasShare(request))
      this.#turn = { version, waiter }
    }
    return this.#turn.waiter
  }

  add(waiter: Waiter): void {
    const { router } = waiter.request
    const isFirst = !this.#waiters.has(router)
    this.#waiters.add(router, waiter)
    if (isFirst) this.#offerTurn(waiter)
  }

  /** Takes the waiter that has the turn. */
  take({ request }: Waiter): void {
    this.#waiters.takeFirst((owner) => owner === request.router)
    this.#turn = undefined
  }

  takeFirst(): Waiter | undefined {
    this.#turn = undefined
    return this.#waiters.takeFirst()
  }

  delete(waiter: Waiter): void {
    const { router } = waiter.request
    this.#waiters.delete(router, waiter)
    if (this.#turn?.waiter === waiter) this.#turn = undefined
    const follower = this.#waiters.firstOf(router)
    if (follower !== undefined) this.#offerTurn(follower)
  }

  oldest(): Iterable<Waiter> {
    return this.#waiters.oldest()
  }

  /** Looks for the turn anew where nobody has had it and the first waiter of a router has a share. */
  #offerTurn({ request }: Waiter): void {
    if (this.#turn?.waiter === undefined && this.#check.hasShare(request)) this.#turn = undefined
  }
}
