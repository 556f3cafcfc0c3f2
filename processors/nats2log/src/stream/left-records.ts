import type { SinkRecord } from '../targets/writer.ts'
import { heldBytes } from './held-record.ts'
import type { Source } from './source.ts'

/** The time that the other source has to deliver records beside which those left are tried. */
const QUIET_MS = 1_000

/**
 * Records that were not delivered while the bus had no stream. Only the sink has them, so it tries them beside the
 * records of the stream that has appeared.
 */
export class LeftRecords {
  /** Milliseconds of a monotonic clock. */
  readonly #now: () => number
  /** The time of each record's next try; infinite during a try. */
  readonly #dueMs = new Map<SinkRecord, number>()
  #bytes = 0

  constructor(now: () => number) {
    this.#now = now
  }

  /** The records that are neither delivered nor given up. */
  get records(): readonly SinkRecord[] {
    return [...this.#dueMs.keys()]
  }

  get size(): number {
    return this.#dueMs.size
  }

  /** The memory of these records. */
  get bytes(): number {
    return this.#bytes
  }

  add(record: SinkRecord, delayMs: number): void {
    if (!this.#dueMs.has(record)) this.#bytes += heldBytes(record)
    this.#dueMs.set(record, this.#now() + delayMs)
  }

  /** Removes a record that is done; returns whether it was here. */
  settle(record: SinkRecord): boolean {
    const isHere = this.#dueMs.delete(record)
    if (isHere) this.#bytes -= heldBytes(record)
    return isHere
  }

  /**
   * Returns a source with the records of another one, and beside each batch those left whose pause is over. If the other
   * source delivers nothing, those left come by themselves.
   */
  beside(source: Source): Source {
    let taking: ReturnType<Source['take']> | undefined
    return {
      take: async () => {
        taking ??= source.take()
        while (await this.#isDueBefore(taking)) {
          const due = this.#takeDue()
          if (due.length > 0) return due
        }
        const records = await taking
        taking = undefined
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

  /** Resolves to true when a record is due, or to false at the end of `taking`. */
  async #isDueBefore(taking: Promise<unknown>): Promise<boolean> {
    let dueMs = Number.POSITIVE_INFINITY
    for (const otherMs of this.#dueMs.values()) dueMs = Math.min(dueMs, otherMs)
    if (dueMs === Number.POSITIVE_INFINITY) return false
    const due = Promise.withResolvers<boolean>()
    const timer = setTimeout(() => due.resolve(true), Math.max(QUIET_MS, dueMs - this.#now()))
    const isDue = await Promise.race([taking.then(() => false), due.promise])
    clearTimeout(timer)
    return isDue
  }

  #takeDue(): readonly SinkRecord[] {
    const due = this.records.filter((record) => (this.#dueMs.get(record) ?? 0) <= this.#now())
    for (const record of due) this.#dueMs.set(record, Number.POSITIVE_INFINITY)
    return due
  }
}
