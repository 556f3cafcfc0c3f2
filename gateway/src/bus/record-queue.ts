import { RouterShares } from '../spool/router-shares.ts'
import { type QueuedRecord, RecordFifo, RecordSum } from './record-fifo.ts'

/**
 * The records in order: first those that were sent and aren't acknowledged, then those that wait. Records on their way
 * to disk still count.
 */
export class RecordQueue {
  /** The bytes of each router in the queue. */
  readonly shares: RouterShares
  readonly #sent = new RecordFifo()
  readonly #waiting = new RecordFifo()
  readonly #leaving = new RecordSum()
  /** The records on their way to disk. */
  #leavingBatch: readonly QueuedRecord[] = []

  /** `roomBytes` are the bytes that routers share. */
  constructor(roomBytes = Number.POSITIVE_INFINITY) {
    this.shares = new RouterShares(roomBytes)
  }

  get count(): number {
    return this.#sent.sum.count + this.#waiting.sum.count + this.#leaving.count
  }

  get bytes(): number {
    return this.#sent.sum.bytes + this.#waiting.sum.bytes + this.#leaving.bytes
  }

  /** The bytes of the large records among them. */
  get largeBytes(): number {
    return this.#sent.sum.largeBytes + this.#waiting.sum.largeBytes + this.#leaving.largeBytes
  }

  get sentCount(): number {
    return this.#sent.sum.count
  }

  get sentBytes(): number {
    return this.#sent.sum.bytes
  }

  get waitingBytes(): number {
    return this.#waiting.sum.bytes
  }

  get waitingCount(): number {
    return this.#waiting.sum.count
  }

  /** The record that was sent first of those on their way. */
  get oldestSent(): QueuedRecord | undefined {
    return this.#sent.first
  }

  hasSent(token: string): boolean {
    return this.#sent.has(token)
  }

  add(record: QueuedRecord): void {
    this.#waiting.add(record)
    this.#count(record)
  }

  get first(): QueuedRecord | undefined {
    return this.#waiting.first
  }

  /** Removes the first waiting record. */
  removeFirst(): void {
    this.#discount(this.#waiting.takeFirst())
  }

  /** `bytesBeside` are the bytes on their way that aren't of this queue. */
  markSent(record: QueuedRecord, nowMs: number, bytesBeside: number): void {
    this.#sent.add(record)
    this.#count(record)
    record.sentMs = nowMs
    record.sentBytes = this.#sent.sum.bytes + bytesBeside
  }

  /** Takes a sent record; returns undefined where no sent record has that token. */
  takeSent(token: string): QueuedRecord | undefined {
    return this.#discount(this.#sent.take(token))
  }

  /** Takes a record that waits again after it was sent. */
  takeSentBefore(token: string): QueuedRecord | undefined {
    return this.#discount(this.#waiting.takeSentBefore(token))
  }

  /**
   * Takes the oldest records that are admitted, at least one of them, to be written to disk; `leave` or `putBack` must
   * follow.
   */
  takeOldest(most: {
    readonly bytes: number
    readonly records: number
    /** Includes sent records, which the connection may still be reading. */
    readonly sent: boolean
    readonly admits: (record: QueuedRecord) => boolean
  }): readonly QueuedRecord[] {
    const batch: QueuedRecord[] = []
    let bytes = 0
    let count = 0
    const choose = (record: QueuedRecord): 'take' | 'keep' | 'stop' => {
      const { length } = record.message
      if (count > 0 && (count >= most.records || bytes + length > most.bytes)) return 'stop'
      if (!most.admits(record)) return 'keep'
      count += 1
      bytes += length
      return 'take'
    }
    for (const line of most.sent ? [this.#sent, this.#waiting] : [this.#waiting]) {
      for (const record of line.takeSome(choose)) {
        if (line === this.#sent) record.memory?.interrupt()
        batch.push(record)
        this.#leaving.add(record)
      }
    }
    this.#leavingBatch = batch
    return batch
  }

  /** Ends the counting of taken records that are on disk. */
  leave(batch: readonly QueuedRecord[]): void {
    for (const record of batch) {
      this.#leaving.subtract(record)
      this.#discount(record)
    }
    this.#leavingBatch = []
  }

  /** Puts taken records back before all others. */
  putBack(batch: readonly QueuedRecord[]): void {
    this.leave(batch)
    this.#waiting.putFirst(batch)
    for (const record of batch) this.#count(record)
  }

  /** Removes all sent records, which have arrived; returns their number. */
  acknowledge(): number {
    const sent = this.#sent.takeAll()
    for (const record of sent) {
      this.#discount(record)
      record.memory?.release()
    }
    return sent.length
  }

  /** Puts all sent records back before the waiting records. */
  restore(): void {
    if (this.#sent.sum.count === 0) return
    const sent = this.#sent.takeAll()
    for (const { memory } of sent) memory?.interrupt()
    this.#waiting.putFirst(sent)
  }

  /**
   * Drops all records without releasing their memory, since sent records may still be read; the collector frees them.
   * Returns their number, which includes records that a slow disk hasn't taken yet. The next process finds the
   * journalled ones.
   */
  clear(): { readonly journalled: number; readonly lost: number } {
    const dropped = [...this.#sent.takeAll(), ...this.#waiting.takeAll()]
    for (const record of dropped) this.#discount(record)
    const all = [...dropped, ...this.#leavingBatch]
    const journalled = all.filter(({ memory }) => memory?.isJournalled?.() === true).length
    return { journalled, lost: all.length - journalled }
  }

  #count({ router, message }: QueuedRecord): void {
    this.shares.count(router, message.length)
  }

  #discount(record: QueuedRecord | undefined): QueuedRecord | undefined {
    if (record !== undefined) this.shares.count(record.router, -record.message.length)
    return record
  }
}
