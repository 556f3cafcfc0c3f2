import type { RecordMessage } from './record-message.ts'

/** The memory, the time and the router of a record in the queue. */
export type RecordOrigin = {
  /** The path of the call's router. */
  readonly router: string
  /** Released once nothing reads the message any more. */
  readonly memory: { isJournalled?(): boolean; interrupt(): void; release(): void } | undefined
  /** The time of the record in Unix milliseconds. */
  readonly createdMs: number
}

/** A record that waits or was sent. QueuedRecord is a class for the reason given at CallerSignal. */
export class QueuedRecord {
  readonly message: RecordMessage
  readonly router: string
  readonly memory: RecordOrigin['memory']
  readonly createdMs: number
  /** The time of the last sending, as `performance.now()`; 0 before the first one. */
  sentMs = 0
  /** The bytes that were on their way after the last sending, its own included. */
  sentBytes = 0

  constructor(message: RecordMessage, { router, memory, createdMs }: RecordOrigin) {
    this.message = message
    this.router = router
    this.memory = memory
    this.createdMs = createdMs
  }

  /** Returns the record with a message of its own that is cut, or the record itself. */
  withMessage(message: RecordMessage): QueuedRecord {
    return message === this.message ? this : new QueuedRecord(message, this)
  }
}

/** Larger records leave a part of the record queue to small records. */
export const LARGE_RECORD_BYTES = 1024 * 1024

/** The number and the bytes of some records. */
export class RecordSum {
  count = 0
  bytes = 0
  /** The bytes of the large records among them. */
  largeBytes = 0

  add({ message: { length } }: QueuedRecord): void {
    this.count += 1
    this.bytes += length
    if (length > LARGE_RECORD_BYTES) this.largeBytes += length
  }

  subtract({ message: { length } }: QueuedRecord): void {
    this.count -= 1
    this.bytes -= length
    if (length > LARGE_RECORD_BYTES) this.largeBytes -= length
  }
}

/** Fewer empty places stay, since a short queue is emptied often. */
const MIN_HOLES = 1024

/**
 * A first-in-first-out queue of records with the sum of their bytes. A record is found by its token; answers come in
 * the order of the records, so that the search nearly always ends at the first. A Map isn't used: the tables that a
 * Map outgrows retain dead records until a full collection, which took as much CPU as a call of 10 KB.
 */
export class RecordFifo {
  #records: (QueuedRecord | undefined)[] = []
  #head = 0
  #sum = new RecordSum()

  get sum(): Readonly<Pick<RecordSum, 'count' | 'bytes' | 'largeBytes'>> {
    return this.#sum
  }

  get first(): QueuedRecord | undefined {
    return this.#records[this.#head]
  }

  add(record: QueuedRecord): void {
    this.#records.push(record)
    this.#sum.add(record)
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
    return this.#sum.count === 0 ? undefined : this.#takeAt(this.#head)
  }

  /** Takes the record with that token; returns undefined where there is none. */
  take(token: string): QueuedRecord | undefined {
    const index = this.#find(token)
    return index === undefined ? undefined : this.#takeAt(index)
  }

  /** Takes the record with that token if it is one of the first ones that were sent before. */
  takeSentBefore(token: string): QueuedRecord | undefined {
    for (let index = this.#head; index < this.#records.length; index += 1) {
      const record = this.#records[index]
      if (record?.sentMs === 0) return undefined
      if (record?.message.head.token === token) return this.#takeAt(index)
    }
    return undefined
  }

  /** Takes the records that `choose` says to take, in order, until it says to stop. */
  takeSome(choose: (record: QueuedRecord) => 'take' | 'keep' | 'stop'): readonly QueuedRecord[] {
    const chosen: number[] = []
    for (let index = this.#head; index < this.#records.length; index += 1) {
      const record = this.#records[index]
      const choice = record === undefined ? 'keep' : choose(record)
      if (choice === 'stop') break
      if (choice === 'take') chosen.push(index)
    }
    const taken = chosen.map((index) => this.#clear(index)).filter((record) => record !== undefined)
    this.#compact()
    return taken
  }

  /** Takes all records, in order. */
  takeAll(): readonly QueuedRecord[] {
    const all = this.#records.filter((record) => record !== undefined)
    this.#records = []
    this.#head = 0
    this.#sum = new RecordSum()
    return all
  }

  #find(token: string): number | undefined {
    for (let index = this.#head; index < this.#records.length; index += 1)
      if (this.#records[index]?.message.head.token === token) return index
    return undefined
  }

  #takeAt(index: number): QueuedRecord | undefined {
    const record = this.#clear(index)
    this.#compact()
    return record
  }

  /** Takes a record and leaves its place empty; `#compact` must follow. */
  #clear(index: number): QueuedRecord | undefined {
    const record = this.#records[index]
    if (record === undefined) return undefined
    this.#records[index] = undefined
    this.#sum.subtract(record)
    return record
  }

  /**
   * Removes the empty places once they outnumber the records: each search passes those behind a record that stays. So
   * each record is moved for one that was taken, at most.
   */
  #compact(): void {
    while (this.#head < this.#records.length && this.#records[this.#head] === undefined) this.#head += 1
    const { count } = this.#sum
    const holes = this.#records.length - count
    if (count > 0 && (holes < MIN_HOLES || holes <= count)) return
    this.#records = count === 0 ? [] : this.#records.filter((record) => record !== undefined)
    this.#head = 0
  }
}
