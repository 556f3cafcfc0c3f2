import { TurnEnd } from './turn-end.ts'

/** The fewest milliseconds between two marks of a turn's end. */
const MARK_EVERY_MS = 2

/**
 * Tells whether a turn of the event loop has lasted for long. The end of a turn is marked by `setImmediate`, which makes
 * the event loop look at the sockets once more. So marks are some milliseconds apart, and a turn may last as much longer.
 */
export class TurnClock {
  readonly #mostMs: number
  readonly #turnEnd: TurnEnd
  /** The time of the last mark, at the beginning of its turn. */
  #markedMs = 0

  /** `onEnd` is called at the end of each marked turn. */
  constructor(mostMs: number, onEnd: () => void = () => undefined) {
    this.#mostMs = mostMs
    this.#turnEnd = new TurnEnd(onEnd)
  }

  /** True once the turn has lasted `mostMs` since its first question. */
  get isOver(): boolean {
    return this.isOverAt(performance.now())
  }

  /** Like `isOver`, where the caller has just read the clock. */
  isOverAt(nowMs: number): boolean {
    const passedMs = nowMs - this.#markedMs
    if (this.#turnEnd.isAwaited) return passedMs >= this.#mostMs
    if (passedMs >= MARK_EVERY_MS) this.mark(nowMs)
    return false
  }

  /** Marks the end of this turn. */
  mark(nowMs = performance.now()): void {
    if (this.#turnEnd.isAwaited) return
    this.#markedMs = nowMs
    this.#turnEnd.await()
  }
}
