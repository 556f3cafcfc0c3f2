/** Room in the record queue that a call or a record asks for. */
export type RoomRequest = {
  readonly bytes: number
  /** Large requests wait for large ones; small ones pass them. */
  readonly isLarge: boolean
}

/** A call or a record that waits for room in the record queue. */
type Waiter = {
  readonly request: RoomRequest
  readonly sinceMs: number
  readonly settle: (found: boolean) => void
  readonly timer: NodeJS.Timeout
}

/**
 * Two lines of waiters for room in the record queue, in the order they came: calls that would begin, and records that are
 * made. A bus that is slower than the calls slows the calls down instead of losing their records, and large records keep
 * no small call waiting.
 */
export class RecordRoom {
  readonly #small = new Set<Waiter>()
  readonly #large = new Set<Waiter>()
  readonly #fits: (request: RoomRequest) => boolean
  readonly #timeoutMs: number

  /** `fits`: whether the queue has room for that. */
  constructor(fits: (request: RoomRequest) => boolean, timeoutMs: number) {
    this.#fits = fits
    this.#timeoutMs = timeoutMs
  }

  /** True where a waiter has waited for half of the time. */
  get isSlow(): boolean {
    return this.#isOld(this.#small) || this.#isOld(this.#large)
  }

  /** True where its line is empty and the queue has room. */
  isFree(request: RoomRequest): boolean {
    return this.#lineOf(request).size === 0 && this.#fits(request)
  }

  /** True once there is room, false after the time; `taken` has used it when the next in line is asked. */
  wait(request: RoomRequest, taken: (found: boolean) => void, timeoutMs = this.#timeoutMs): void {
    const timer = setTimeout(() => this.#end(waiter, false), timeoutMs)
    const waiter: Waiter = { request, sinceMs: performance.now(), settle: taken, timer }
    this.#lineOf(request).add(waiter)
  }

  /** Records left the queue. */
  look(): void {
    for (const line of [this.#small, this.#large]) {
      for (const waiter of line) {
        if (!this.#fits(waiter.request)) break
        this.#end(waiter, true)
      }
    }
  }

  /** The queue takes nothing more: every waiter is told so. */
  giveUp(): void {
    for (const line of [this.#small, this.#large]) for (const waiter of line) this.#end(waiter, false)
  }

  #lineOf({ isLarge }: RoomRequest): Set<Waiter> {
    return isLarge ? this.#large : this.#small
  }

  #isOld(line: ReadonlySet<Waiter>): boolean {
    const first: Waiter | undefined = line.values().next().value
    return first !== undefined && performance.now() - first.sinceMs > this.#timeoutMs / 2
  }

  #end(waiter: Waiter, found: boolean): void {
    this.#lineOf(waiter.request).delete(waiter)
    clearTimeout(waiter.timer)
    waiter.settle(found)
  }
}
