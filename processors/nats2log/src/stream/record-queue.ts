import type { SinkRecord } from '../targets/writer.ts'
import type { BatchLimits } from './source.ts'

/** The records that wait to be written. */
export class RecordQueue {
  readonly #limits: BatchLimits
  #records: SinkRecord[] = []
  #bytes = 0
  #changed = Promise.withResolvers<void>()

  constructor(limits: BatchLimits) {
    this.#limits = limits
  }

  get length(): number {
    return this.#records.length
  }

  get bytes(): number {
    return this.#bytes
  }

  add(record: SinkRecord): void {
    this.#records.push(record)
    this.#bytes += record.bytes.length
    this.wake()
  }

  /** Empties the queue and returns its records. */
  clear(): readonly SinkRecord[] {
    this.#bytes = 0
    return this.#records.splice(0)
  }

  /** Ends all waits for a change. */
  wake(): void {
    this.#changed.resolve()
    this.#changed = Promise.withResolvers<void>()
  }

  /** Resolves at the next change. */
  async change(): Promise<void> {
    await this.#changed.promise
  }

  /** Returns up to a batch. Waits for a whole batch, for the end of the records, or until the batch's time is over. */
  async gather(isOver: () => boolean): Promise<readonly SinkRecord[]> {
    let late = false
    const timer = setTimeout(() => {
      late = true
      this.wake()
    }, this.#limits.ms)
    while (!late && !isOver() && !this.#isFull()) await this.change()
    clearTimeout(timer)
    return this.#splice()
  }

  #isFull(): boolean {
    return this.#records.length >= this.#limits.records || this.#bytes >= this.#limits.bytes
  }

  #splice(): readonly SinkRecord[] {
    let bytes = 0
    let count = 0
    for (const record of this.#records) {
      if (count === this.#limits.records || (count > 0 && bytes + record.bytes.length > this.#limits.bytes)) break
      bytes += record.bytes.length
      count += 1
    }
    this.#bytes -= bytes
    return this.#records.splice(0, count)
  }
}
