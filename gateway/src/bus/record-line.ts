import type { RecordMessage } from './record-message.ts'

/** One record that waits or is on its way. A class: one of these is made per call. */
export class QueuedRecord {
  readonly message: RecordMessage
  /** Let go once nothing will read the message. */
  readonly memory: { interrupted(): void; letGo(): void } | undefined
  /** Unix milliseconds. */
  readonly madeMs: number
  /** When it was sent last, as `performance.now()` tells it. */
  sentMs = 0

  constructor(message: RecordMessage, memory: QueuedRecord['memory'], madeMs: number) {
    this.message = message
    this.memory = memory
    this.madeMs = madeMs
  }
}

const COMPACT_AFTER = 1024

/**
 * Records behind one another, and the sum of their bytes. A record in the middle is found by its token; answers come in the
 * order of the records, so the first one looked at is nearly always the one. No Map: the tables that it outgrows keep dead
 * records until a full collection, which cost as much CPU again as a call of 10 KB needs.
 */
export class RecordLine {
  #records: (QueuedRecord | undefined)[] = []
  #head = 0
  #size = 0
  #bytes = 0

  get size(): number {
    return this.#size
  }

  get bytes(): number {
    return this.#bytes
  }

  get first(): QueuedRecord | undefined {
    return this.#records[this.#head]
  }

  add(record: QueuedRecord): void {
    this.#records.push(record)
    this.#size += 1
    this.#bytes += record.message.length
  }

  /** Puts records before all others. */
  putFirst(records: readonly QueuedRecord[]): void {
    const rest = this.takeAll()
    for (const record of records) this.add(record)
    for (const record of rest) this.add(record)
  }

  has(token: string): boolean {
    return this.#find(token) !== undefined
  }

  takeFirst(): QueuedRecord | undefined {
    return this.#size === 0 ? undefined : this.#takeAt(this.#head)
  }

  /** undefined where no record has that token. */
  take(token: string): QueuedRecord | undefined {
    const index = this.#find(token)
    return index === undefined ? undefined : this.#takeAt(index)
  }

  /** All records in their order; none is left. */
  takeAll(): readonly QueuedRecord[] {
    const all = this.#records.filter((record) => record !== undefined)
    this.#records = []
    this.#head = 0
    this.#size = 0
    this.#bytes = 0
    return all
  }

  #find(token: string): number | undefined {
    for (let index = this.#head; index < this.#records.length; index += 1)
      if (this.#records[index]?.message.head.token === token) return index
    return undefined
  }

  #takeAt(index: number): QueuedRecord | undefined {
    const record = this.#records[index]
    if (record === undefined) return undefined
    this.#records[index] = undefined
    this.#size -= 1
    this.#bytes -= record.message.length
    while (this.#head < this.#records.length && this.#records[this.#head] === undefined) this.#head += 1
    if (this.#head >= COMPACT_AFTER || this.#head === this.#records.length) {
      this.#records = this.#records.slice(this.#head)
      this.#head = 0
    }
    return record
  }
}
