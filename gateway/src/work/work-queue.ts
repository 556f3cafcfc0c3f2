import { FairQueue } from './fair-queue.ts'
import { runSteps } from './run-steps.ts'
import { TurnClock } from './turn-clock.ts'

/** The milliseconds of the main thread that slices take in one turn of the event loop; calls get the rest. */
const TURN_MS = 4

/**
 * Schedules work that isn't urgent: the work after an answer, and work on large bodies. The work is cut into slices,
 * and each turn of the event loop runs a few milliseconds of them, so that forty hostile answers delay other calls no
 * longer than one. Each slice has an owner: the path of a router, or a name for work of the gateway itself. The owners
 * take turns, since callers wait for some slices: a router with hundreds of slices makes another router's slice wait for
 * one or two of them. Calls that continue in a later turn don't wait for slices, and neither do bodies: each have a line
 * and a share of their own.
 */
export class WorkQueue {
  readonly #slices = new TurnLine()
  readonly #calls = new TurnLine()
  readonly #resumptions = new TurnLine()
  readonly #clock = new TurnClock(TURN_MS)

  /**
   * True once calls have taken their share of this turn since the first look. A thousand replies or timeouts that come
   * together are read in one turn, so that each of their calls looks here before it continues.
   */
  get isTurnUsedUp(): boolean {
    return this.#clock.isOver
  }

  /** Resolves when a call may continue whose turn was used up. The bus, which asks for this, knows no routers. */
  nextTurn(): Promise<void> {
    return new Promise((resolve) => this.#calls.add('', resolve))
  }

  /** Calls `resume`, a new function, of a body that paused because the turn was used up; `resume` must not throw. */
  resume(owner: string, resume: () => void): void {
    this.#resumptions.add(owner, resume)
  }

  /** Resolves when a slice may begin; the slice ends with the next `await`. */
  turn(owner: string): Promise<void> {
    return new Promise((resolve) => this.add(owner, resolve))
  }

  /** Calls `slice`, a new function, in its turn; `slice` must not throw. */
  add(owner: string, slice: () => void): void {
    this.#slices.add(owner, slice)
  }

  /** Begins a task that yields between its slices. */
  begin(owner: string): Slice {
    return new Slice(this, owner)
  }
}

/** Slices that run a few milliseconds in each turn of the event loop; their owners take turns. */
class TurnLine {
  /** The slices that were added since the last run. Most runs do them all, without a line for each owner. */
  #added: { readonly owner: string; readonly slice: () => void }[] = []
  /** The slices that a run had no time for. */
  readonly #waiting = new FairQueue<() => void>()
  #running = false

  add(owner: string, slice: () => void): void {
    this.#added.push({ owner, slice })
    if (this.#running) return
    this.#running = true
    setImmediate(() => void this.#run()) // rejects where a slice throws, which is a bug
  }

  async #run(): Promise<void> {
    let done = 0
    try {
      await runSteps(TURN_MS, () => {
        const waiting = this.#waiting.takeFirst()
        if (waiting !== undefined) return waiting
        const added = this.#added[done]
        // A slice that is added after the line was found empty hasn't run and must stay in the line.
        if (added !== undefined) done += 1
        return added?.slice
      })
    } finally {
      // A slice that throws must not hold up the slices behind it.
      for (const { owner, slice } of this.#added.slice(done)) this.#waiting.add(owner, slice)
      this.#added = []
      this.#running = !this.#waiting.isEmpty
      if (this.#running) setImmediate(() => void this.#run()) // rejects where a slice throws, which is a bug
    }
  }
}

/** The slices of one task; each loop of the task contains `if (slice.isDue) await slice.next()`. */
export class Slice {
  readonly #queue: WorkQueue
  readonly #owner: string
  #start = performance.now()

  constructor(queue: WorkQueue, owner: string) {
    this.#queue = queue
    this.#owner = owner
  }

  /** True once this slice has used up its time. */
  get isDue(): boolean {
    return performance.now() - this.#start >= TURN_MS
  }

  /** Waits for the task's next slice. */
  next(): Promise<void> {
    // The promise of an async function would resolve after the queue has gone on to the next slice.
    return new Promise((resolve) => {
      this.#queue.add(this.#owner, () => {
        this.#start = performance.now()
        resolve()
      })
    })
  }
}
