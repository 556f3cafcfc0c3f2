/**
 * Runs tasks of one key one after another, those of different keys side by side. Large answers of one router are finished
 * this way: forty that end together need the memory of one.
 */
export class OneByOne {
  readonly #last = new WeakMap<object, Promise<unknown>>()

  /** Rejects where `task` does; the next one begins all the same. */
  run<Result>(key: object, task: () => Result | Promise<Result>): Promise<Result> {
    const before = this.#last.get(key) ?? Promise.resolve()
    const result = before.then(task, task)
    this.#last.set(key, result)
    return result
  }
}
