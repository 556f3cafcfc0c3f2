import { cutRecord } from './cut-record.ts'
import { type MessageHead, messageHeads } from './message-head.ts'
import type { RecordConnection } from './record-connection.ts'
import type { RecordMessage, TextPart } from './record-message.ts'
import { RecordPages } from './record-pages.ts'
import { type RecordMemory, RecordQueue } from './record-queue.ts'

export type LostReason = 'queue_full' | 'exit' | 'too_large'

export type RecordPublisher = {
  readonly connected: boolean
  /**
   * Takes the parts of a record's JSON; it is published, kept for a bus that is away, or counted as lost.
   * `memory`: of its parts, let go when the bus has the record.
   */
  publish(record: readonly TextPart[], memory?: RecordMemory): void
  /** Bytes of all records not yet acknowledged, those on their way included. */
  readonly queuedBytes: number
  /** Publishes the rest and waits for its PONG; what remains after the time is lost, `exit`, and so is what comes later. */
  drain(timeoutMs: number): Promise<void>
  /** Closes the connection for good. */
  close(): Promise<void>
}

export type RecordPublisherOptions = {
  readonly connection: RecordConnection
  readonly subject: string
  readonly queueBytes: number
  /** `<gateway_id>-<process start, ns>`; a sequence follows it (wire, 3). */
  readonly messageIdPrefix: string
  readonly published: (count: number) => void
  readonly lost: (count: number, reason: LostReason) => void
}

/** At most this much is on its way at once, or a slow bus would have the whole queue a second time in the socket's buffer. */
const WINDOW_BYTES = 4 * 1024 * 1024
/** Fewer bytes wait this long for company: one write and one PING for all records of a few turns. */
const FULL_BATCH_BYTES = 256 * 1024
const LINGER_MS = 5

/**
 * Publishes records at least once, in order. A record leaves the queue only after a PONG that came after it; what a
 * connection took without one is published again on the next with the same message id. When the queue is full the new
 * record is dropped: the older ones may be on their way, and one large new record doesn't push out many small ones.
 */
export function createRecordPublisher(options: RecordPublisherOptions): RecordPublisher {
  return new QueueingPublisher(options)
}

class QueueingPublisher implements RecordPublisher {
  readonly #options: RecordPublisherOptions
  readonly #headOf: (messageId: string) => MessageHead
  readonly #queue = new RecordQueue()
  readonly #pages = new RecordPages()
  #sequence = 0
  #running = false
  #linger: NodeJS.Timeout | undefined
  #draining: Promise<void> | undefined
  #drained: (() => void) | undefined

  constructor(options: RecordPublisherOptions) {
    this.#options = options
    this.#headOf = messageHeads(options.subject)
    options.connection.onConnected(() => this.#start())
  }

  get connected(): boolean {
    return this.#options.connection.connected
  }

  get queuedBytes(): number {
    return this.#queue.bytes
  }

  publish(record: readonly TextPart[], memory?: RecordMemory): void {
    const reason = this.#take(record, memory)
    if (reason === undefined) {
      this.#startSoon()
    } else {
      memory?.letGo()
      this.#options.lost(1, reason)
    }
  }

  close(): Promise<void> {
    return this.#options.connection.close()
  }

  drain(timeoutMs: number): Promise<void> {
    this.#draining ??= this.#drainOnce(timeoutMs)
    return this.#draining
  }

  #take(record: readonly TextPart[], memory: RecordMemory | undefined): LostReason | undefined {
    if (this.#draining !== undefined) return 'exit'
    const head = this.#headOf(`${this.#options.messageIdPrefix}-${++this.#sequence}`)
    const message = this.#fit(this.#pages.encode(head, record))
    if (message === undefined) return 'too_large'
    if (this.#queue.bytes + message.length > this.#options.queueBytes) return 'queue_full'
    this.#queue.add({ message, memory })
    return undefined
  }

  async #drainOnce(timeoutMs: number): Promise<void> {
    const empty = new Promise<void>((resolve) => {
      this.#drained = resolve
    })
    const timer = setTimeout(() => this.#drained?.(), timeoutMs)
    this.#start()
    if (this.#queue.count > 0) await empty
    clearTimeout(timer)
    clearTimeout(this.#linger)
    const left = this.#queue.count
    this.#queue.clear()
    if (left > 0) this.#options.lost(left, 'exit')
  }

  /** The record as the bus takes it now; undefined when no cut makes it fit. */
  #fit(message: RecordMessage): RecordMessage | undefined {
    const { maxPayload } = this.#options.connection
    if (maxPayload === undefined || message.size <= maxPayload) return message
    const { head } = message
    const cut = cutRecord(message.toJson(), maxPayload - head.headerBytes)
    return cut === undefined ? undefined : this.#pages.encode(head, [cut])
  }

  #startSoon(): void {
    if (this.#running || !this.connected) return
    if (this.#queue.waitingBytes >= FULL_BATCH_BYTES) this.#start()
    else this.#linger ??= setTimeout(() => this.#start(), LINGER_MS)
  }

  #start(): void {
    clearTimeout(this.#linger)
    this.#linger = undefined
    if (this.#running) return
    this.#running = true
    void this.#publishBatches() // never rejects: publish and flush of the connection don't
  }

  async #publishBatches(): Promise<void> {
    const { connection, published } = this.#options
    while (connection.connected && this.#queue.waitingCount > 0) {
      this.#sendWindow()
      if (await connection.flush()) {
        const count = this.#queue.acknowledge()
        if (count > 0) published(count)
      } else {
        this.#queue.restore()
      }
      if (this.#draining === undefined && this.#queue.waitingBytes < FULL_BATCH_BYTES) break
    }
    this.#running = false
    if (this.#queue.count === 0) this.#drained?.()
    else this.#startSoon()
  }

  #sendWindow(): void {
    const { connection, lost } = this.#options
    for (let record = this.#queue.first; record !== undefined; record = this.#queue.first) {
      const message = this.#fit(record.message)
      if (message === undefined) {
        this.#queue.removeFirst()
        lost(1, 'too_large')
        continue
      }
      const sent = this.#queue.sentBytes
      if (sent > 0 && sent + message.length > WINDOW_BYTES) return
      if (!connection.publish(message)) return
      this.#queue.removeFirst()
      this.#queue.markSent(message === record.message ? record : { ...record, message })
    }
  }
}
