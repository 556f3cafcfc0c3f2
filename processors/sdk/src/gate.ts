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

export type Gate = {
  /** Runs the task, which holds so many bytes, now, later or, where too many wait, never (false). */
  run(task: () => Promise<void>, bytes: number): boolean
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

type Waiting = { readonly task: () => Promise<void>; readonly bytes: number }

/** Lets a number of tasks run at the same time and a number wait. A task must not reject. */
export function createGate(options: GateOptions): Gate {
  const queue: Waiting[] = []
  const idlers: (() => void)[] = []
  let queuedBytes = 0
  let running = 0
  let dropped = 0

  const start = async (first: () => Promise<void>): Promise<void> => {
    running += 1
    await first()
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      queuedBytes -= next.bytes
      await next.task()
    }
    running -= 1
    if (dropped > 0) options.recovered(dropped)
    dropped = 0
    if (running === 0) for (const resolve of idlers.splice(0)) resolve()
  }

  const enqueue = (waiting: Waiting): boolean => {
    if (queue.length >= options.waiting || queuedBytes + waiting.bytes > options.waitingBytes) return false
    queuedBytes += waiting.bytes
    queue.push(waiting)
    return true
  }

  return {
    run: (task, bytes) => {
      // Tasks have no failure of their own, so neither has the chain of them.
      if (running < options.concurrency) {
        void start(task)
        return true
      }
      if (enqueue({ task, bytes })) return true
      if (dropped === 0) options.overloaded()
      dropped += 1
      return false
    },
    get load() {
      return { running, waiting: queue.length, waitingBytes: queuedBytes, overloaded: dropped > 0 }
    },
    idle: async () => {
      if (running > 0) await new Promise<void>((resolve) => idlers.push(resolve))
    },
  }
}
