import { FairQueue, type QueueItem } from './fair-queue.ts'

export type GateOptions = {
  readonly concurrency: number
  /** How many tasks may wait. */
  readonly waiting: number
  /** How many bytes they may hold together. */
  readonly waitingBytes: number
  /** The waiting room is full: tasks are dropped from now on. */
  readonly overloaded: () => void
  /** Nobody waits any more; how many tasks were dropped meanwhile. */
  readonly recovered: (dropped: number) => void
}

export type Task = QueueItem & {
  /** Must not reject. */
  readonly run: () => Promise<void>
}

export type Gate = {
  /** Runs the task now or later, or drops it. */
  run(task: Task): void
  readonly load: GateLoad
  /** Resolves when no task runs or waits. */
  idle(): Promise<void>
}

export type GateLoad = {
  readonly running: number
  readonly waiting: number
  readonly waitingBytes: number
  /** Tasks were dropped and others still wait. */
  readonly overloaded: boolean
}

/** Lets a number of tasks run at the same time and a number wait; what nobody wants any more is dropped before it runs. */
export function createGate(options: GateOptions): Gate {
  const queue = new FairQueue<Task>(options)
  const idlers: (() => void)[] = []
  let running = 0
  let dropped = 0

  const start = async (first: Task): Promise<void> => {
    running += 1
    await first.run()
    for (let next = queue.take(performance.now()); next !== undefined; next = queue.take(performance.now())) {
      await next.run()
    }
    running -= 1
    if (dropped > 0) options.recovered(dropped)
    dropped = 0
    if (running === 0) for (const resolve of idlers.splice(0)) resolve()
  }

  return {
    run: (task) => {
      // Tasks have no failure of their own, so neither has the chain of them.
      if (running < options.concurrency) return void start(task)
      const drop = (reason: 'dropped' | 'expired'): void => {
        if (reason === 'dropped' && dropped === 0) options.overloaded()
        if (reason === 'dropped') dropped += 1
        task.drop(reason)
      }
      queue.add({ ...task, drop }, performance.now())
    },
    get load() {
      return { running, waiting: queue.count, waitingBytes: queue.bytes, overloaded: dropped > 0 }
    },
    idle: async () => {
      if (running > 0) await new Promise<void>((resolve) => idlers.push(resolve))
    },
  }
}
