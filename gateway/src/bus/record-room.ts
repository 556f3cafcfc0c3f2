/** What somebody needs of the record queue. */
export type Need = {
  readonly bytes: number
  /** Large ones wait for large ones; small ones pass them. */
  readonly isLarge: boolean
}

/** Somebody who waits for room in the record queue. */
type Waiter = {
  readonly need: Need
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
  readonly #fits: (need: Need) => boolean
  readonly #timeoutMs: number

  /** `fits`: whether the queue has room for that. */
  constructor(fits: (need: Need) => boolean, timeoutMs: number) {
    this.#fits = fits
    this.#timeoutMs = timeoutMs
  }

  /** True where somebody has waited for half of the time. */
  get isSlow(): boolean {
    return this.#isOld(this.#small) || this.#isOld(this.#large)
  }

  /** True where nobody of its line waits and there is room. */
  isFree(need: Need): boolean {
    return this.#lineOf(need).size === 0 && this.#fits(need)
  }

  /** True once there is room, false after the time; `taken` has used it when the next in line is asked. */
  wait(need: Need, taken: (found: boolean) => void, timeoutMs = this.#timeoutMs): void {
    const timer = setTimeout(() => this.#end(waiter, false), timeoutMs)
    const waiter: Waiter = { need, sinceMs: performance.now(), settle: taken, timer }
    this.#lineOf(need).add(waiter)
  }

  /** Records left the queue. */
  look(): void {
    for (const line of [this.#small, this.#large]) {
      for (const waiter of line) {
        if (!this.#fits(waiter.need)) break
        this.#end(waiter, true)
      }
    }
  }

  /** The queue takes nothing more: every waiter is told so. */
  giveUp(): void {
    for (const line of [this.#small, this.#large]) for (const waiter of line) this.#end(waiter, false)
  }

  #lineOf({ isLarge }: Need): Set<Waiter> {
    return isLarge ? this.#large : this.#small
  }

  #isOld(line: ReadonlySet<Waiter>): boolean {
    const first: Waiter | undefined = line.values().next().value
    return first !== undefined && performance.now() - first.sinceMs > this.#timeoutMs / 2
  }

  #end(waiter: Waiter, found: boolean): void {
    this.#lineOf(waiter.need).delete(waiter)
    clearTimeout(waiter.timer)
    waiter.settle(found)
  }
}
