import type { Failure, SinkRecord } from '../targets/writer.ts'

/** A record that its target failed to take and that waits beside the later ones. */
export type SetAsideRecord = {
  readonly record: SinkRecord
  readonly failure: Failure
  /** The failed tries since which the target has taken another record. */
  readonly refusals: number
  /** All failed tries. */
  readonly tries: number
  /** The deliveries of the target up to the last try. */
  readonly deliveries: number
  /** The time of the next try, in milliseconds of a monotonic clock. */
  readonly dueMs: number
}

const MOST_RECORDS = 4_000
const MOST_BYTES = 16 * 1024 * 1024

/** A bounded list of records that were set aside. The largest record doesn't count in its bytes. */
export class SetAside {
  readonly #records = new Map<SinkRecord, SetAsideRecord>()
  /** Records that are being tried or made dead letters. */
  readonly #inWork = new Set<SinkRecord>()
  readonly #ids = new Set<string>()
  #bytes = 0

  get size(): number {
    return this.#records.size
  }

  /** Returns whether a record with this id is set aside. */
  has(id: string): boolean {
    return this.#ids.has(id)
  }

  /** Adds a record or replaces its state; returns false when there is no room. */
  put(entry: SetAsideRecord): boolean {
    const { record } = entry
    const isKnown = this.#records.has(record)
    if (!isKnown && !this.#hasRoom(record)) return false
    if (!isKnown) this.#bytes += record.bytes.length
    if (record.id !== undefined) this.#ids.add(record.id)
    this.#records.set(record, entry)
    return true
  }

  remove(record: SinkRecord): void {
    if (!this.#records.delete(record)) return
    this.#bytes -= record.bytes.length
    if (record.id !== undefined) this.#ids.delete(record.id)
  }

  /** Runs work on a record, which `next` and `mostRefused` don't return meanwhile. */
  async hold<Value>({ record }: SetAsideRecord, work: () => Promise<Value>): Promise<Value> {
    this.#inWork.add(record)
    try {
      return await work()
    } finally {
      this.#inWork.delete(record)
    }
  }

  /** Returns the record to try next: of those that are due, the one with the fewest tries; otherwise the next due one. */
  next(nowMs: number): SetAsideRecord | undefined {
    let next: SetAsideRecord | undefined
    for (const entry of this.#free()) {
      if (next === undefined || isBefore(entry, next, nowMs)) next = entry
    }
    return next
  }

  /** Returns the record that was refused most often; undefined when none was refused since another was delivered. */
  mostRefused(): SetAsideRecord | undefined {
    let most: SetAsideRecord | undefined
    for (const entry of this.#free()) if (entry.refusals > (most?.refusals ?? 0)) most = entry
    return most
  }

  *#free(): Generator<SetAsideRecord, void> {
    for (const entry of this.#records.values()) if (!this.#inWork.has(entry.record)) yield entry
  }

  #hasRoom({ bytes }: SinkRecord): boolean {
    let largest = bytes.length
    for (const { record } of this.#records.values()) largest = Math.max(largest, record.bytes.length)
    return this.#records.size < MOST_RECORDS && this.#bytes + bytes.length - largest <= MOST_BYTES
  }
}

function isBefore(one: SetAsideRecord, other: SetAsideRecord, nowMs: number): boolean {
  const [isDue, isOtherDue] = [one.dueMs <= nowMs, other.dueMs <= nowMs]
  if (isDue && isOtherDue) return one.tries < other.tries
  return one.dueMs < other.dueMs
}
