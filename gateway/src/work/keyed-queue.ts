/**
 * Runs tasks with the same key one after another, tasks with different keys side by side, at most `most` of them. Large
 * answers of one router are finished this way, so that forty of them need the memory of one. At most one task of a key
 * waits for a place, so that the keys take turns.
 */
export class KeyedQueue {
  readonly #lastTask = new WeakMap<object, Promise<void>>()
  #free: number
  readonly #waiting: (() => void)[] = []

  constructor(most = Number.POSITIVE_INFINITY) {
    this.#free = most
  }

  /** Rejects where `task` rejects; the next task runs all the same. */
  run<Result>(key: object, task: () => Result | Promise<Result>): Promise<Result> {
    const previous = this.#lastTask.get(key) ?? Promise.resolve()
    const result = previous.then(() => this.#runInPlace(task))
    // Storing the result itself would retain the payload of a router's last large answer.
    this.#lastTask.set(key, result.then(ignore, ignore))
    return result
  }

  async #runInPlace<Result>(task: () => Result | Promise<Result>): Promise<Result> {
    if (this.#free > 0) this.#free -= 1
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    try {
      return await task()
    } finally {
      const next = this.#waiting.shift()
      if (next === undefined) this.#free += 1
      else next()
    }
  }
}

const ignore = (): void => undefined
