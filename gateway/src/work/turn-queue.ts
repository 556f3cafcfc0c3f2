/** Runs tasks in the order in which they were added, at most `most` in one turn of the event loop. */
export class TurnQueue {
  readonly #most: number
  readonly #waiting: (() => void)[] = []
  readonly #onTurn = (): void => this.#run()

  constructor(most: number) {
    this.#most = most
  }

  /** `task` must not throw; it runs in a later turn. */
  add(task: () => void): void {
    this.#waiting.push(task)
    if (this.#waiting.length === 1) setImmediate(this.#onTurn)
  }

  #run(): void {
    const tasks = this.#waiting.splice(0, this.#most)
    if (this.#waiting.length > 0) setImmediate(this.#onTurn)
    for (const task of tasks) task()
  }
}
