import type { RecordMessage } from './record-message.ts'
import { SentRecords } from './sent-records.ts'

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
 * Records in the order they came: those that wait, and before them those that were sent and not yet acknowledged. What is
 * on its way to disk still counts.
 */
export class RecordQueue {
  readonly #sent = new SentRecords()
  #waiting: (QueuedRecord | undefined)[] = []
  #head = 0
  #sentBytes = 0
  #waitingBytes = 0
  #leavingBytes = 0
  #leavingCount = 0

  get count(): number {
    return this.#sent.size + this.waitingCount + this.#leavingCount
  }

  get bytes(): number {
    return this.#sentBytes + this.#waitingBytes + this.#leavingBytes
  }

  get sentCount(): number {
    return this.#sent.size
  }

  get sentBytes(): number {
    return this.#sentBytes
  }

  get waitingBytes(): number {
    return this.#waitingBytes
  }

  get waitingCount(): number {
    return this.#waiting.length - this.#head
  }

  /** Of those on their way the one that was sent first. */
  get oldestSent(): QueuedRecord | undefined {
    return this.#sent.first
  }

  hasSent(token: string): boolean {
    return this.#sent.has(token)
  }

  add(record: QueuedRecord): void {
    this.#waiting.push(record)
    this.#waitingBytes += record.message.length
  }

  get first(): QueuedRecord | undefined {
    return this.#waiting[this.#head]
  }

  /** Takes the first waiting record out. */
  removeFirst(): void {
    const record = this.first
    if (record === undefined) return
    this.#waitingBytes -= record.message.length
    this.#waiting[this.#head++] = undefined
    if (this.#head < COMPACT_AFTER && this.#head < this.#waiting.length) return
    this.#waiting = this.#waiting.slice(this.#head)
    this.#head = 0
  }

  markSent(record: QueuedRecord, nowMs: number): void {
    record.sentMs = nowMs
    this.#sent.add(record)
    this.#sentBytes += record.message.length
  }

  /** Takes a record that was sent out; undefined where none with that token is on its way. */
  takeSent(token: string): QueuedRecord | undefined {
    const record = this.#sent.take(token)
    if (record === undefined) return undefined
    this.#sentBytes -= record.message.length
    return record
  }

  /** Takes the oldest out, one at least, to be written to disk: `leave` or `putBack` follows. */
  takeOldest(most: {
    readonly bytes: number
    readonly records: number
    /** Those on their way too; nobody knows whether they are still read. */
    readonly sent: boolean
  }): readonly QueuedRecord[] {
    const batch: QueuedRecord[] = []
    let bytes = 0
    const isFull = (record: QueuedRecord): boolean =>
      batch.length > 0 && (batch.length >= most.records || bytes + record.message.length > most.bytes)
    for (const record of most.sent ? this.#sent.all() : []) {
      if (isFull(record)) break
      this.takeSent(record.message.head.token)
      record.memory?.interrupted()
      bytes += record.message.length
      batch.push(record)
    }
    for (let record = this.first; record !== undefined && !isFull(record); record = this.first) {
      this.removeFirst()
      bytes += record.message.length
      batch.push(record)
    }
    this.#leavingBytes += bytes
    this.#leavingCount += batch.length
    return batch
  }

  /** What was taken out is on disk. */
  leave(batch: readonly QueuedRecord[]): void {
    for (const { message } of batch) this.#leavingBytes -= message.length
    this.#leavingCount -= batch.length
  }

  /** What was taken out waits again, before all others. */
  putBack(batch: readonly QueuedRecord[]): void {
    this.leave(batch)
    this.#waiting = [...batch, ...this.#waiting.slice(this.#head)]
    this.#head = 0
    for (const { message } of batch) this.#waitingBytes += message.length
  }

  /** Everything sent has arrived; how many that were. */
  acknowledge(): number {
    const count = this.#sent.size
    for (const { memory } of this.#takeAllSent()) memory?.letGo()
    return count
  }

  /** Everything sent waits again, before what waits already. */
  restore(): void {
    if (this.#sent.size === 0) return
    this.#waitingBytes += this.#sentBytes
    const sent = this.#takeAllSent()
    for (const { memory } of sent) memory?.interrupted()
    this.#waiting = [...sent, ...this.#waiting.slice(this.#head)]
    this.#head = 0
  }

  /** Leaves memory to the collector: what was sent may still be on its way out. */
  clear(): void {
    this.#takeAllSent()
    this.#waiting = []
    this.#head = 0
    this.#waitingBytes = 0
  }

  #takeAllSent(): readonly QueuedRecord[] {
    this.#sentBytes = 0
    return this.#sent.takeAll()
  }
}
