/** The milliseconds of work on messages in one turn of the event loop; the bus and the port get the rest. */
const TURN_MS = 4
/**
 * The milliseconds between two marks of a turn's end at the least. A mark makes the event loop look at the sockets once
 * more, which small messages shouldn't pay for.
 */
const MARK_EVERY_MS = 2

/**
 * Shares the main thread among the messages in work. All messages together get a few milliseconds of each turn of the
 * event loop, so that sixty slow messages delay the reading of the bus no longer than one. Work that goes on in a later
 * turn waits in its flow's line, and the flows take turns.
 */
export class WorkTurns {
  /** Ordered by turn: the next flow comes first. A flow without waiting work has no line. */
  readonly #lines = new Map<string, (() => void)[]>()
  /** True from the first work of a turn until the turn's end. */
  #isMarked = false
  #startMs = 0
  readonly #onTurnEnd = (): void => {
    if (this.#lines.size > 0)
      void this.#run() // never rejects: the slices only resolve promises
    else this.#isMarked = false
  }

  /** True where a message may begin at once: no other work waits, and this turn has time left. */
  get isFree(): boolean {
    return this.#lines.size === 0 && !this.isDue
  }

  /** True once the work of this turn has used up its time. */
  get isDue(): boolean {
    const now = performance.now()
    if (this.#isMarked) return now - this.#startMs >= TURN_MS
    if (now - this.#startMs >= MARK_EVERY_MS) this.#mark(now)
    return false
  }

  /** Resolves when the flow's work may go on. Whoever awaits another promise in between takes its time uncounted. */
  next(flow: string): Promise<void> {
    return new Promise((resolve) => {
      const line = this.#lines.get(flow)
      if (line === undefined) this.#lines.set(flow, [resolve])
      else line.push(resolve)
      if (!this.#isMarked) this.#mark(performance.now())
    })
  }

  #mark(now: number): void {
    this.#isMarked = true
    this.#startMs = now
    setImmediate(this.#onTurnEnd)
  }

  async #run(): Promise<void> {
    this.#startMs = performance.now()
    for (const [flow, line] of this.#lines) {
      // A flow with more work goes behind all others, where this loop meets it again.
      this.#lines.delete(flow)
      const slice = line.shift()
      if (line.length > 0) this.#lines.set(flow, line)
      slice?.()
      // The code that awaits the slice's promise runs before this line continues, since its microtask was queued
      // earlier.
      await undefined
      if (performance.now() - this.#startMs >= TURN_MS) break
    }
    // Messages that the next turn brings begin at once where no other work waits.
    this.#isMarked = this.#lines.size > 0
    if (this.#isMarked) setImmediate(this.#onTurnEnd)
  }
}
