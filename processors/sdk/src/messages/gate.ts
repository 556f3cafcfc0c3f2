import { FairQueue, type FairQueueLimits, type QueueItem } from './fair-queue.ts'

/** The limits of the running and, with those of the queue, of the waiting tasks. */
export type GateOptions = FairQueueLimits & {
  readonly concurrency: number
  /** The most running tasks of a flow; default: as many as the flow leaves places free. */
  readonly ofFlow?: number
  /** Places beside `concurrency` for the first tasks of flows; default 0. */
  readonly firstPlaces?: number
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

/**
 * Limits the running and the waiting tasks. A flow takes no more places than it leaves free, so that the first task of
 * another flow finds one. Seven flows could take 64 places so, of which `firstPlaces` are left for others. A task whose
 * deadline has passed is dropped before it runs.
 */
export function createGate(options: GateOptions): Gate {
  const { concurrency, ofFlow = concurrency, firstPlaces = 0 } = options
  const queue = new FairQueue<Task>(options)
  const waitingForIdle: (() => void)[] = []
  /** The running tasks of each flow that has any. */
  const places = new Map<string, number>()
  let running = 0
  let dropped = 0

  const hasPlace = (flow: string): boolean => {
    const own = places.get(flow) ?? 0
    return own === 0 ? running < concurrency + firstPlaces : own < Math.min(ofFlow, concurrency - running)
  }

  const start = async (task: Task): Promise<void> => {
    running += 1
    places.set(task.flow, (places.get(task.flow) ?? 0) + 1)
    await task.run()
    running -= 1
    const left = (places.get(task.flow) ?? 0) - 1
    if (left > 0) places.set(task.flow, left)
    else places.delete(task.flow)
    startWaiting()
  }

  /** Starts waiting tasks until no waiting flow has a place. */
  const startWaiting = (): void => {
    for (let next = takeNext(); next !== undefined; next = takeNext()) void start(next) // `start` never rejects
    if (queue.count > 0) return
    if (dropped > 0) options.recovered(dropped)
    dropped = 0
    if (running === 0) for (const resolve of waitingForIdle.splice(0)) resolve()
  }
  const takeNext = (): Task | undefined => (queue.count > 0 ? queue.take(performance.now(), hasPlace) : undefined)

  return {
    run: (task) => {
      // `run` of a task never rejects, so `start` never rejects either. A flow with waiting tasks has no place.
      if (hasPlace(task.flow)) return void start(task)
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
