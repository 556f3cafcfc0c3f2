/**
 * Runs tasks of one key one after another, those of different keys side by side. Large answers of one router are finished
 * this way: forty that end together need the memory of one.
 */
export class OneByOne {
  readonly #last = new WeakMap<object, Promise<void>>()

  /** Rejects where `task` does; the next one begins all the same. */
  run<Result>(key: object, task: () => Result | Promise<Result>): Promise<Result> {
    const before = this.#last.get(key) ?? Promise.resolve()
    const result = before.then(task)
    // Not the result itself: the payload of a router's last large answer would be held until its next one.
    this.#last.set(key, result.then(nothing, nothing))
    return result
  }
}

const nothing = (): void => undefined
