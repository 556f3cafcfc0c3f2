import { type QueuedRecord, RecordLine } from './record-line.ts'

/**
 * Records in the order they came: those that wait, and before them those that were sent and not yet acknowledged. What is
 * on its way to disk still counts.
 */
export class RecordQueue {
  readonly #sent = new RecordLine()
  readonly #waiting = new RecordLine()
  #leavingBytes = 0
  #leavingCount = 0

  get count(): number {
    return this.#sent.size + this.#waiting.size + this.#leavingCount
  }

  get bytes(): number {
    return this.#sent.bytes + this.#waiting.bytes + this.#leavingBytes
  }

  get sentCount(): number {
    return this.#sent.size
  }

  get sentBytes(): number {
    return this.#sent.bytes
  }

  get waitingBytes(): number {
    return this.#waiting.bytes
  }

  get waitingCount(): number {
    return this.#waiting.size
  }

  /** Of those on their way the one that was sent first. */
  get oldestSent(): QueuedRecord | undefined {
    return this.#sent.first
  }

  hasSent(token: string): boolean {
    return this.#sent.has(token)
  }

  add(record: QueuedRecord): void {
    this.#waiting.add(record)
  }

  get first(): QueuedRecord | undefined {
    return this.#waiting.first
  }

  /** Takes the first waiting record out. */
  removeFirst(): void {
    this.#waiting.takeFirst()
  }

  markSent(record: QueuedRecord, nowMs: number): void {
    record.sentMs = nowMs
    this.#sent.add(record)
  }

  /** Takes a record that was sent out; undefined where none with that token is on its way. */
  takeSent(token: string): QueuedRecord | undefined {
    return this.#sent.take(token)
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
    for (const line of most.sent ? [this.#sent, this.#waiting] : [this.#waiting]) {
      for (let record = line.first; record !== undefined && !isFull(record); record = line.first) {
        line.takeFirst()
        if (line === this.#sent) record.memory?.interrupted()
        bytes += record.message.length
        batch.push(record)
      }
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
    this.#waiting.putFirst(batch)
  }

  /** Everything sent has arrived; how many that were. */
  acknowledge(): number {
    const sent = this.#sent.takeAll()
    for (const { memory } of sent) memory?.letGo()
    return sent.length
  }

  /** Everything sent waits again, before what waits already. */
  restore(): void {
    if (this.#sent.size === 0) return
    const sent = this.#sent.takeAll()
    for (const { memory } of sent) memory?.interrupted()
    this.#waiting.putFirst(sent)
  }

  /** Leaves memory to the collector: what was sent may still be on its way out. */
  clear(): void {
    this.#sent.takeAll()
    this.#waiting.takeAll()
  }
}
