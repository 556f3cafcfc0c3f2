import type { RecordConnection } from './record-connection.ts'
import type { QueuedRecord } from './record-fifo.ts'
import type { RecordMessage } from './record-message.ts'
import type { RecordQueue } from './record-queue.ts'

export type SendWindowOptions = {
  readonly connection: Pick<RecordConnection, 'publish'>
  readonly queue: RecordQueue
  /** Returns the record in a size that the bus takes; undefined when no cut makes it fit. */
  readonly fit: (message: RecordMessage) => RecordMessage | undefined
  readonly onLost: (record: QueuedRecord, reason: 'too_large') => void
  /** The bytes of other records that are on their way on the same connection. */
  readonly bytesBeside: () => number
}

/** The most bytes on their way at once; otherwise a slow bus would have the whole queue a second time in the socket's buffer. */
const WINDOW_BYTES = 4 * 1024 * 1024
/** The most records that a turn loses: a bus with a smaller limit may make the whole queue too large. */
const MOST_LOST = 64
/** The time in milliseconds after which a full socket is tried again. */
const FULL_SOCKET_MS = 20

/** Sends the records of the queue as far as the bus has room for them on its way. */
export class SendWindow {
  readonly #options: SendWindowOptions
  #isSending = false
  /** The number of records that this turn has lost. Each record that is published calls `send` where a batch waits. */
  #lostInTurn = 0

  constructor(options: SendWindowOptions) {
    this.#options = options
  }

  /**
   * Sends waiting records in order until `maxRecords` are on their way. Returns the milliseconds after which it must be
   * called again; undefined where the bus's next answer, or the next record, is soon enough.
   */
  send(maxRecords: number): number | undefined {
    // A lost record makes room for one that waits, which is then to be sent. Thousands of nested calls would overflow
    // the stack.
    if (this.#isSending) return undefined
    if (this.#lostInTurn >= MOST_LOST) return 0
    this.#isSending = true
    try {
      const lost: QueuedRecord[] = []
      const isSocketFull = !this.#sendSome(maxRecords, lost)
      this.#countLost(lost.length)
      for (const record of lost) this.#options.onLost(record, 'too_large')
      if (isSocketFull) return FULL_SOCKET_MS
      return lost.length > 0 ? 0 : undefined
    } finally {
      this.#isSending = false
    }
  }

  #countLost(count: number): void {
    if (count === 0) return
    if (this.#lostInTurn === 0) {
      setImmediate(() => {
        this.#lostInTurn = 0
      })
    }
    this.#lostInTurn += count
  }

  /** Collects records that are too large for the bus in `lost`. Returns false where the socket is full. */
  #sendSome(maxRecords: number, lost: QueuedRecord[]): boolean {
    const { connection, queue, fit, bytesBeside } = this.#options
    const nowMs = performance.now()
    for (let record = queue.first; record !== undefined && queue.sentCount < maxRecords; record = queue.first) {
      const message = fit(record.message)
      if (message === undefined) {
        queue.removeFirst()
        lost.push(record)
        if (this.#lostInTurn + lost.length === MOST_LOST) return true
        continue
      }
      const sent = queue.sentBytes
      if (sent > 0 && sent + message.length > WINDOW_BYTES) return true
      if (!connection.publish(message)) return false
      queue.removeFirst()
      queue.markSent(record.withMessage(message), nowMs, bytesBeside())
    }
    return true
  }
}
