import type { SinkRecord } from '../targets/writer.ts'
import type { Source } from './source.ts'

/**
 * Records that failed alone while the bus had no stream. Only the sink has them, so it tries them beside the records of
 * the stream that has appeared.
 */
export class LeftRecords {
  /** Milliseconds of a monotonic clock. */
  readonly #now: () => number
  /** The time of each record's next try; infinite during a try. */
  readonly #dueMs = new Map<SinkRecord, number>()

  constructor(now: () => number) {
    this.#now = now
  }

  /** The records that are neither delivered nor given up. */
  get records(): readonly SinkRecord[] {
    return [...this.#dueMs.keys()]
  }

  add(record: SinkRecord, delayMs: number): void {
    this.#dueMs.set(record, this.#now() + delayMs)
  }

  /** Removes a record that is done; returns whether it was here. */
  settle(record: SinkRecord): boolean {
    return this.#dueMs.delete(record)
  }

  /** Returns a source with the records of another one, and beside each batch those left whose pause is over. */
  beside(source: Source): Source {
    return {
      take: async () => {
        const records = await source.take()
        return records === undefined ? undefined : [...records, ...this.#takeDue()]
      },
      settle: (record) => {
        if (!this.settle(record)) source.settle(record)
      },
      postpone: (record, delayMs) => {
        if (this.#dueMs.has(record)) this.add(record, delayMs)
        else source.postpone(record, delayMs)
      },
    }
  }

  #takeDue(): readonly SinkRecord[] {
    const due = this.records.filter((record) => (this.#dueMs.get(record) ?? 0) <= this.#now())
    for (const record of due) this.#dueMs.set(record, Number.POSITIVE_INFINITY)
    return due
  }
}
