import { runSteps } from './run-steps.ts'
import { TurnClock } from './turn-clock.ts'

/** The milliseconds of the main thread that slices take in one turn of the event loop; calls get the rest. */
const TURN_MS = 4

/**
 * Schedules work that isn't urgent: the work after an answer, and work on large bodies. The work is cut into slices,
 * and each turn of the event loop runs a few milliseconds of them, so that forty hostile answers delay other calls no
 * longer than one. Slices run in the order of their requests. Calls that continue in a later turn don't wait for
 * slices: calls have a line and a share of their own.
 */
export class WorkQueue {
  readonly #slices = new TurnLine()
  readonly #calls = new TurnLine()
  readonly #clock = new TurnClock(TURN_MS)

  /**
   * True once calls have taken their share of this turn since the first look. A thousand replies or timeouts that come
   * together are read in one turn, so that each of their calls looks here before it continues.
   */
  get isTurnUsedUp(): boolean {
    return this.#clock.isOver
  }

  /** Resolves when a call may continue whose turn was used up. */
  nextTurn(): Promise<void> {
    return new Promise((resolve) => this.#calls.add(resolve))
  }

  /** Resolves when a slice may begin; the slice ends with the next `await`. */
  turn(): Promise<void> {
    return new Promise((resolve) => this.add(resolve))
  }

  /** Calls `slice` in its turn; `slice` must not throw. */
  add(slice: () => void): void {
    this.#slices.add(slice)
  }

  /** Begins a task that yields between its slices. */
  begin(): Slice {
    return new Slice(this)
  }
}

/** Slices that run in order, a few milliseconds in each turn of the event loop. */
class TurnLine {
  #waiting: (() => void)[] = []
  #running = false

  add(slice: () => void): void {
    this.#waiting.push(slice)
    if (this.#running) return
    this.#running = true
    setImmediate(() => void this.#run()) // rejects where a slice throws, which is a bug
  }

  async #run(): Promise<void> {
    let done = 0
    try {
      await runSteps(TURN_MS, () => {
        const slice = this.#waiting[done]
        // A slice that is added after the line was found empty hasn't run and must stay in the line.
        if (slice !== undefined) done += 1
        return slice
      })
    } finally {
      // A slice that throws must not hold up the slices behind it.
      this.#waiting = this.#waiting.slice(done)
      this.#running = this.#waiting.length > 0
      if (this.#running) setImmediate(() => void this.#run()) // rejects where a slice throws, which is a bug
    }
  }
}

/** The slices of one task; each loop of the task contains `if (slice.isDue) await slice.next()`. */
export class Slice {
  readonly #queue: WorkQueue
  #start = performance.now()

  constructor(queue: WorkQueue) {
    this.#queue = queue
  }

  /** True once this slice has used up its time. */
  get isDue(): boolean {
    return performance.now() - this.#start >= TURN_MS
  }

  /** Waits for the task's next slice. */
  next(): Promise<void> {
    // The promise of an async function would resolve after the queue has gone on to the next slice.
    return new Promise((resolve) => {
      this.#queue.add(() => {
        this.#start = performance.now()
        resolve()
      })
    })
  }
}
