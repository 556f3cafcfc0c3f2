/**
 * Runs tasks with the same key one after another, tasks with different keys side by side. Large answers of one router
 * are finished this way, so that forty of them need the memory of one.
 */
export class KeyedQueue {
  readonly #lastTask = new WeakMap<object, Promise<void>>()

  /** Rejects where `task` rejects; the next task runs all the same. */
  run<Result>(key: object, task: () => Result | Promise<Result>): Promise<Result> {
    const previous = this.#lastTask.get(key) ?? Promise.resolve()
    const result = previous.then(task)
    // Storing the result itself would retain the payload of a router's last large answer.
    this.#lastTask.set(key, result.then(ignore, ignore))
    return result
  }
}

const ignore = (): void => undefined
