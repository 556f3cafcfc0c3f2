import type { RecordMessage } from './record-message.ts'

export type QueuedRecord = {
  readonly message: RecordMessage
  /** Let go once nothing will read the message. */
  readonly memory: { interrupted(): void; letGo(): void } | undefined
}

const COMPACT_AFTER = 1024

/** Records in the order they came: those that wait, and before them those that were sent and not yet acknowledged. */
export class RecordQueue {
  #sent: QueuedRecord[] = []
  #waiting: (QueuedRecord | undefined)[] = []
  #head = 0
  #sentBytes = 0
  #waitingBytes = 0

  get count(): number {
    return this.#sent.length + this.waitingCount
  }

  get bytes(): number {
    return this.#sentBytes + this.#waitingBytes
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

  markSent(record: QueuedRecord): void {
    this.#sent.push(record)
    this.#sentBytes += record.message.length
  }

  /** Everything sent has arrived; how many that were. */
  acknowledge(): number {
    const count = this.#sent.length
    for (const { memory } of this.#sent) memory?.letGo()
    this.#forgetSent()
    return count
  }

  /** Everything sent waits again, before what waits already. */
  restore(): void {
    for (const { memory } of this.#sent) memory?.interrupted()
    this.#waiting = [...this.#sent, ...this.#waiting.slice(this.#head)]
    this.#head = 0
    this.#waitingBytes += this.#sentBytes
    this.#forgetSent()
  }

  /** Leaves memory to the collector: what was sent may still be on its way out. */
  clear(): void {
    this.#forgetSent()
    this.#waiting = []
    this.#head = 0
    this.#waitingBytes = 0
  }

  #forgetSent(): void {
    this.#sent = []
    this.#sentBytes = 0
  }
}
