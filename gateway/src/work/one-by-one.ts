/**
 * Runs tasks with the same key one after another, tasks with different keys side by side. Large answers of one router
 * are finished this way, so that forty of them need the memory of one.
 */
export class OneByOne {
  readonly #last = new WeakMap<object, Promise<void>>()

  /** Rejects where `task` rejects; the next task runs all the same. */
  run<Result>(key: object, task: () => Result | Promise<Result>): Promise<Result> {
    const before = this.#last.get(key) ?? Promise.resolve()
    const result = before.then(task)
    // Storing the result itself would retain the payload of a router's last large answer.
    this.#last.set(key, result.then(nothing, nothing))
    return result
  }
}

const nothing = (): void => undefined
