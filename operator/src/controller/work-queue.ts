import { Backoff } from '@llm-gateway/kube'

export type WorkQueueTimings = { readonly firstBackoffMs: number; readonly mostBackoffMs: number }

const TIMINGS: WorkQueueTimings = { firstBackoffMs: 5, mostBackoffMs: 1_000_000 }

/**
 * `low` comes after all other work: the keys of a first list, since nobody waits for them, and gateways that don't exist,
 * since anybody may name thousands of them.
 */
export type Priority = 'normal' | 'low'

/** One key under work. */
export type Work = {
  readonly key: string
  /** Aborted when the key is added again meanwhile, since the work is out of date then. */
  readonly superseded: AbortSignal
  /** Ends the work. A failed key comes back after a growing wait. */
  done(outcome: 'succeeded' | 'failed'): void
}

/** The events of a queue that its metrics count. */
export type QueueWatch = {
  added(): void
  /** A key was taken after this wait. */
  taken(waitedMs: number): void
  retried(): void
}

const UNWATCHED: QueueWatch = { added: () => undefined, taken: () => undefined, retried: () => undefined }

/**
 * A queue of keys, never of events. A key that is added while it waits is worked on once; one under work, once more.
 */
export class WorkQueue {
  readonly #timings: WorkQueueTimings
  readonly #watch: QueueWatch
  readonly #priorityOf: (key: string) => Priority
  /** Key → since when it waits. */
  readonly #waiting: Readonly<Record<Priority, Map<string, number>>> = { normal: new Map(), low: new Map() }
  readonly #working = new Map<string, { readonly controller: AbortController; readonly since: number }>()
  readonly #timers = new Map<string, { readonly at: number; readonly timer: NodeJS.Timeout }>()
  readonly #backoffs = new Map<string, Backoff>()
  readonly #takers: ((work: Work | undefined) => void)[] = []
  #closed = false

  /** @param priorityOf of keys that come back by themselves */
  constructor(
    timings: Partial<WorkQueueTimings> = {},
    watch: QueueWatch = UNWATCHED,
    priorityOf: (key: string) => Priority = () => 'normal',
  ) {
    this.#timings = { ...TIMINGS, ...timings }
    this.#watch = watch
    this.#priorityOf = priorityOf
  }

  get depth(): number {
    return this.#waiting.normal.size + this.#waiting.low.size
  }

  get closed(): boolean {
    return this.#closed
  }

  /** The ms for which each key under work has been worked on. */
  get workingMs(): readonly number[] {
    return [...this.#working.values()].map(({ since }) => performance.now() - since)
  }

  /** Adds a key and supersedes the work on it. */
  add(key: string, priority: Priority = 'normal'): void {
    // Aborts before the key is added: the added key may be taken at once, and its new work must not be aborted.
    this.#working.get(key)?.controller.abort()
    this.addBehind(key, priority)
  }

  /** Adds a key and lets the work on it end. */
  addBehind(key: string, priority: Priority = 'normal'): void {
    if (this.#closed) return
    const { normal, low } = this.#waiting
    const since = normal.get(key) ?? low.get(key)
    if (since === undefined) this.#watch.added()
    if (priority === 'normal') {
      low.delete(key)
      normal.set(key, since ?? performance.now())
    } else if (!normal.has(key)) low.set(key, since ?? performance.now())
    this.#offer()
  }

  /** Adds a key after `ms`, or at its earlier time if there is one. */
  addAfter(key: string, ms: number): void {
    const at = performance.now() + ms
    const other = this.#timers.get(key)
    if (this.#closed || (other !== undefined && other.at <= at)) return
    clearTimeout(other?.timer)
    const timer = setTimeout(() => {
      this.#timers.delete(key)
      this.add(key, this.#priorityOf(key))
    }, ms)
    this.#timers.set(key, { at, timer })
  }

  /** Resolves with the next key that no worker has; undefined once the queue is closed. */
  take(): Promise<Work | undefined> {
    const { promise, resolve } = Promise.withResolvers<Work | undefined>()
    this.#takers.push(resolve)
    this.#offer()
    return promise
  }

  close(): void {
    this.#closed = true
    for (const { timer } of this.#timers.values()) clearTimeout(timer)
    for (const { controller } of this.#working.values()) controller.abort()
    this.#offer()
  }

  #offer(): void {
    if (this.#closed) {
      for (const take of this.#takers.splice(0)) take(undefined)
      return
    }
    for (const waiting of [this.#waiting.normal, this.#waiting.low]) {
      for (const [key, since] of waiting) {
        if (this.#working.has(key)) continue
        const take = this.#takers.shift()
        if (take === undefined) return
        waiting.delete(key)
        this.#watch.taken(performance.now() - since)
        take(this.#work(key))
      }
    }
  }

  #work(key: string): Work {
    const controller = new AbortController()
    this.#working.set(key, { controller, since: performance.now() })
    return {
      key,
      superseded: controller.signal,
      done: (outcome) => {
        this.#working.delete(key)
        if (outcome === 'succeeded') this.#backoffs.delete(key)
        else {
          this.#watch.retried()
          this.addAfter(key, this.#backoffOf(key).next(Math.random()))
        }
        this.#offer()
      },
    }
  }

  #backoffOf(key: string): Backoff {
    const { firstBackoffMs, mostBackoffMs } = this.#timings
    const backoff = this.#backoffs.get(key) ?? new Backoff({ firstMs: firstBackoffMs, mostMs: mostBackoffMs })
    this.#backoffs.set(key, backoff)
    return backoff
  }
}
