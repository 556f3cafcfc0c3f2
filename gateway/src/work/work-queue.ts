/** Milliseconds of the main thread that slices of work take in one turn of the event loop; the rest of a turn is the calls'. */
const TURN_MS = 4

/**
 * Hands out turns for work that nobody waits for at once: what follows an answer, and what is done with large bodies.
 * Such work is cut into slices, and each turn of the event loop runs only a few milliseconds of them, so that forty
 * hostile answers delay a neighbour's call no longer than one does. Turns are given in the order they were asked for.
 */
export class WorkQueue {
  #waiting: (() => void)[] = []
  #running = false

  /** Resolves when a slice may begin; the slice ends with the next `await`. */
  turn(): Promise<void> {
    return new Promise((resolve) => this.add(resolve))
  }

  /** Calls `slice` in its turn; it must not throw. */
  add(slice: () => void): void {
    this.#waiting.push(slice)
    if (this.#running) return
    this.#running = true
    setImmediate(() => void this.#run()) // never rejects: slices don't throw
  }

  /** Begins a task that yields between its slices. */
  begin(): Slice {
    return new Slice(this)
  }

  async #run(): Promise<void> {
    const start = performance.now()
    let done = 0
    try {
      for (const slice of this.#waiting) {
        done += 1
        slice()
        // The code that awaits the slice's promise runs before this continues: it stands before us in the queue of microtasks.
        await undefined
        if (performance.now() - start >= TURN_MS) break
      }
    } finally {
      // A slice that throws must not hold up those behind it.
      this.#waiting = this.#waiting.slice(done)
      this.#running = this.#waiting.length > 0
      if (this.#running) setImmediate(() => void this.#run()) // rejects where a slice throws, which is a bug
    }
  }
}

/** The slices of one task: `if (slice.due) await slice.next()` stands in each of its loops. */
export class Slice {
  readonly #queue: WorkQueue
  #start = performance.now()

  constructor(queue: WorkQueue) {
    this.#queue = queue
  }

  /** True once this slice has lasted as long as a slice may. */
  get due(): boolean {
    return performance.now() - this.#start >= TURN_MS
  }

  /** Waits for the task's next turn. */
  next(): Promise<void> {
    // No async function: its promise would resolve after the queue has gone on to the next slice.
    return new Promise((resolve) => {
      this.#queue.add(() => {
        this.#start = performance.now()
        resolve()
      })
    })
  }
}
