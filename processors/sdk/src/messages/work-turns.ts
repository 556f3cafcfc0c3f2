import { FlowLines } from './flow-lines.ts'

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
  readonly #lines = new FlowLines<() => void>()
  /** True from the first work of a turn until the turn's end. */
  #isMarked = false
  #startMs = 0
  readonly #onTurnEnd = (): void => {
    if (!this.#lines.isEmpty)
      void this.#run() // never rejects: the slices only resolve promises
    else this.#isMarked = false
  }

  /** True where a message may begin at once: no other work waits, and this turn has time left. */
  get isFree(): boolean {
    return this.#lines.isEmpty && !this.isDue
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
      this.#lines.add(flow, resolve)
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
    for (let slice = this.#lines.take(); slice !== undefined; slice = this.#lines.take()) {
      slice()
      // The code that awaits the slice's promise runs before this line continues, since its microtask was queued
      // earlier.
      await undefined
      if (performance.now() - this.#startMs >= TURN_MS) break
    }
    // Messages that the next turn brings begin at once where no other work waits.
    this.#isMarked = !this.#lines.isEmpty
    if (this.#isMarked) setImmediate(this.#onTurnEnd)
  }
}
