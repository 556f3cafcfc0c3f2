/** Somebody who waits for room in the record queue. */
type Waiter = {
  readonly bytes: number
  readonly sinceMs: number
  readonly settle: (found: boolean) => void
  readonly timer: NodeJS.Timeout
}

/**
 * The line of waiters for room in the record queue, in the order they came: calls that would begin, and records that are made.
 * A bus that is slower than the calls slows the calls down instead of losing their records.
 */
export class RecordRoom {
  readonly #waiters = new Set<Waiter>()
  readonly #fits: (bytes: number) => boolean
  readonly #timeoutMs: number

  /** `fits`: whether the queue has room for that many bytes more. */
  constructor(fits: (bytes: number) => boolean, timeoutMs: number) {
    this.#fits = fits
    this.#timeoutMs = timeoutMs
  }

  /** True where somebody has waited for half of the time. */
  get isSlow(): boolean {
    const first: Waiter | undefined = this.#waiters.values().next().value
    return first !== undefined && performance.now() - first.sinceMs > this.#timeoutMs / 2
  }

  /** True where nobody waits and there is room. */
  isFree(bytes: number): boolean {
    return this.#waiters.size === 0 && this.#fits(bytes)
  }

  /** True once there is room, false after the time; `taken` has used it when the next in line is asked. */
  wait(bytes: number, taken: (found: boolean) => void): void {
    const timer = setTimeout(() => this.#end(waiter, false), this.#timeoutMs)
    const waiter: Waiter = { bytes, sinceMs: performance.now(), settle: taken, timer }
    this.#waiters.add(waiter)
  }

  /** Records left the queue. */
  look(): void {
    for (const waiter of this.#waiters) {
      if (!this.#fits(waiter.bytes)) return
      this.#end(waiter, true)
    }
  }

  /** The queue takes nothing more: every waiter is told so. */
  giveUp(): void {
    for (const waiter of this.#waiters) this.#end(waiter, false)
  }

  #end(waiter: Waiter, found: boolean): void {
    this.#waiters.delete(waiter)
    clearTimeout(waiter.timer)
    waiter.settle(found)
  }
}
