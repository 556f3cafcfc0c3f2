import type { HeldSource } from './held-sources.ts'
import type { SourceReference } from './wanted-sources.ts'

/** A source to read. */
export type ReadSource = {
  readonly key: string
  readonly place: SourceReference
  /** The turn in which the read begins. */
  readonly turn: number
  /** The version that the watch had brought when the read began; undefined: it knew no such object. */
  readonly version: string | undefined
  /** The keys that are named now. */
  readonly keys: ReadonlyMap<string, number>
  readonly own: ReadonlySet<string>
  /** The keys that are named now, and perhaps keys that were named before. */
  readonly toRead: ReadonlyMap<string, number>
}

export type Reading = HeldSource | 'missing' | 'failed'

export type LaneWork = {
  /** Returns the read of a source; undefined: nobody needs it any more. */
  readonly next: (key: string) => ReadSource | undefined
  readonly read: (one: ReadSource) => Promise<Reading>
  readonly keep: (one: ReadSource, reading: Reading) => void
  /** Called when the lane ends after a pass that didn't wait for it. */
  readonly endedLate: () => void
}

/** The most reads of one namespace at once, so that the reads of others don't wait behind thousands. */
export const SHARE = 16

/** The reads of one namespace for a gateway, some at once. Sources get their room in the order in which they were added. */
export class ReadingLane {
  readonly #work: LaneWork
  readonly #queue = new Set<string>()
  /** Source that is being read → its read. */
  readonly #reading = new Map<string, ReadSource>()
  #running: Promise<void> | undefined
  #failure: { readonly error: unknown } | undefined
  #isLate = false

  constructor(work: LaneWork) {
    this.#work = work
  }

  add(key: string): void {
    this.#queue.add(key)
  }

  /** Returns whether a source waits for its read. */
  waits(key: string): boolean {
    return this.#queue.has(key)
  }

  /** Returns the read of a source that is being read. */
  readOf(key: string): ReadSource | undefined {
    return this.#reading.get(key)
  }

  get isIdle(): boolean {
    return this.#running === undefined && this.#queue.size === 0
  }

  /** Reads until nothing waits. Rejects with a failure that isn't one of the API server. */
  async ended(): Promise<void> {
    this.#isLate = false
    if (this.#queue.size > 0) this.#running ??= this.#run()
    await this.#running
    if (this.#failure !== undefined) throw this.#failure.error
  }

  /** The pass goes on without this lane. */
  leave(): void {
    this.#isLate = this.#running !== undefined
  }

  close(): void {
    this.#queue.clear()
    this.#isLate = false
  }

  async #run(): Promise<void> {
    this.#failure = undefined
    try {
      while (this.#queue.size > 0) await this.#readBatch()
    } catch (error) {
      this.#failure = { error }
      this.#queue.clear()
    }
    this.#running = undefined
    const isLate = this.#isLate
    this.#isLate = false
    if (isLate) this.#work.endedLate()
  }

  async #readBatch(): Promise<void> {
    const batch: ReadSource[] = []
    for (const key of this.#queue) {
      if (batch.length === SHARE) break
      this.#queue.delete(key)
      const one = this.#work.next(key)
      if (one !== undefined) batch.push(one)
    }
    for (const one of batch) this.#reading.set(one.key, one)
    try {
      const readings = await Promise.all(batch.map((one) => this.#work.read(one)))
      for (const [index, one] of batch.entries()) this.#work.keep(one, readings[index] ?? 'failed')
    } finally {
      this.#reading.clear()
    }
  }
}
