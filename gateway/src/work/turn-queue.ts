import { FairQueue } from './fair-queue.ts'

/** Runs tasks, at most `most` in one turn of the event loop. Owners take turns; the tasks of an owner stay in their order. */
export class TurnQueue {
  readonly #most: number
  readonly #waiting = new FairQueue<() => void>()
  readonly #onTurn = (): void => this.#run()

  constructor(most: number) {
    this.#most = most
  }

  /** `task` is a new function and must not throw; it runs in a later turn. */
  add(task: () => void, owner = ''): void {
    if (this.#waiting.isEmpty) setImmediate(this.#onTurn)
    this.#waiting.add(owner, task)
  }

  #run(): void {
    const tasks: (() => void)[] = []
    while (tasks.length < this.#most) {
      const task = this.#waiting.takeFirst()
      if (task === undefined) break
      tasks.push(task)
    }
    if (!this.#waiting.isEmpty) setImmediate(this.#onTurn)
    for (const task of tasks) task()
  }
}
