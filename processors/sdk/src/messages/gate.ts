import { FairQueue, type QueueItem } from './fair-queue.ts'

export type GateOptions = {
  readonly concurrency: number
  /** The maximum number of waiting tasks. */
  readonly waiting: number
  /** The maximum of bytes of all waiting tasks. */
  readonly waitingBytes: number
  /** Called at the first dropped task: the queue is full. */
  readonly overloaded: () => void
  /** Called when the queue is empty again, with the number of tasks that were dropped. */
  readonly recovered: (dropped: number) => void
}

export type Task = QueueItem & {
  /** Must not reject. */
  readonly run: () => Promise<void>
}

export type Gate = {
  /** Runs the task now, queues it, or drops it. */
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

/** Limits the running and the waiting tasks. A task whose deadline has passed is dropped before it runs. */
export function createGate(options: GateOptions): Gate {
  const queue = new FairQueue<Task>(options)
  const waitingForIdle: (() => void)[] = []
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
    if (running === 0) for (const resolve of waitingForIdle.splice(0)) resolve()
  }

  return {
    run: (task) => {
      // `run` of a task never rejects, so `start` never rejects either.
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
      if (running > 0) await new Promise<void>((resolve) => waitingForIdle.push(resolve))
    },
  }
}
