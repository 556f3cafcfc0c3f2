import type { QueuedRecord } from './record-queue.ts'

const COMPACT_AFTER = 1024

/**
 * Records on their way, in the order they were sent, found by their tokens. Answers come in that order too, so the first one
 * looked at is nearly always the one. No Map: the tables that it outgrows keep dead records until a full collection, which
 * cost as much CPU again as a call of 10 KB needs.
 */
export class SentRecords {
  #records: (QueuedRecord | undefined)[] = []
  #head = 0
  #size = 0

  get size(): number {
    return this.#size
  }

  get first(): QueuedRecord | undefined {
    return this.#records[this.#head]
  }

  add(record: QueuedRecord): void {
    this.#records.push(record)
    this.#size += 1
  }

  has(token: string): boolean {
    return this.#find(token) !== undefined
  }

  /** undefined where none with that token is on its way. */
  take(token: string): QueuedRecord | undefined {
    const index = this.#find(token)
    if (index === undefined) return undefined
    const record = this.#records[index]
    this.#records[index] = undefined
    this.#size -= 1
    while (this.#head < this.#records.length && this.#records[this.#head] === undefined) this.#head += 1
    if (this.#head >= COMPACT_AFTER || this.#head === this.#records.length) {
      this.#records = this.#records.slice(this.#head)
      this.#head = 0
    }
    return record
  }

  /** All of them, in order; none is left. */
  takeAll(): readonly QueuedRecord[] {
    const all = this.all()
    this.#records = []
    this.#head = 0
    this.#size = 0
    return all
  }

  all(): readonly QueuedRecord[] {
    return this.#records.slice(this.#head).filter((record) => record !== undefined)
  }

  #find(token: string): number | undefined {
    for (let index = this.#head; index < this.#records.length; index += 1)
      if (this.#records[index]?.message.head.token === token) return index
    return undefined
  }
}
