import type { Bus } from './bus.ts'
import { cutRecord } from './cut-record.ts'
import { messageIdBytes } from './message-id.ts'
import { RecordQueue } from './record-queue.ts'

export type LostReason = 'queue_full' | 'exit' | 'too_large'

export type RecordPublisher = {
  /** Takes a serialized record; it is published, kept for a bus that is away, or counted as lost. */
  publish(record: Uint8Array): void
  /** Bytes of all records not yet acknowledged, those on their way included. */
  readonly queuedBytes: number
  /** Publishes the rest and waits for its PONG; what remains after the time is lost, `exit`, and so is what comes later. */
  drain(timeoutMs: number): Promise<void>
}

export type RecordPublisherOptions = {
  readonly bus: Bus
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
  readonly #queue = new RecordQueue()
  #sequence = 0
  #running = false
  #linger: NodeJS.Timeout | undefined
  #draining: Promise<void> | undefined
  #drained: (() => void) | undefined

  constructor(options: RecordPublisherOptions) {
    this.#options = options
    options.bus.onConnected(() => this.#start())
  }

  get queuedBytes(): number {
    return this.#queue.bytes
  }

  publish(record: Uint8Array): void {
    const reason = this.#take(record)
    if (reason === undefined) this.#startSoon()
    else this.#options.lost(1, reason)
  }

  drain(timeoutMs: number): Promise<void> {
    this.#draining ??= this.#drainOnce(timeoutMs)
    return this.#draining
  }

  #take(record: Uint8Array): LostReason | undefined {
    if (this.#draining !== undefined) return 'exit'
    const messageId = `${this.#options.messageIdPrefix}-${++this.#sequence}`
    const bytes = this.#fit(record, messageId)
    if (bytes === undefined) return 'too_large'
    if (this.#queue.bytes + bytes.length > this.#options.queueBytes) return 'queue_full'
    this.#queue.add({ messageId, bytes })
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
  #fit(record: Uint8Array, messageId: string): Uint8Array | undefined {
    const { maxPayload } = this.#options.bus
    return maxPayload === undefined ? record : cutRecord(record, maxPayload - messageIdBytes(messageId))
  }

  #startSoon(): void {
    if (this.#running || !this.#options.bus.connected) return
    if (this.#queue.waitingBytes >= FULL_BATCH_BYTES) this.#start()
    else this.#linger ??= setTimeout(() => this.#start(), LINGER_MS)
  }

  #start(): void {
    clearTimeout(this.#linger)
    this.#linger = undefined
    if (this.#running) return
    this.#running = true
    void this.#publishBatches() // never rejects: publish and flush of the bus don't
  }

  async #publishBatches(): Promise<void> {
    const { bus, published } = this.#options
    while (bus.connected && this.#queue.waitingCount > 0) {
      this.#sendWindow()
      if (await bus.flush()) {
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
    const { bus, subject, lost } = this.#options
    for (let record = this.#queue.first; record !== undefined; record = this.#queue.first) {
      const bytes = this.#fit(record.bytes, record.messageId)
      if (bytes === undefined) {
        this.#queue.removeFirst()
        lost(1, 'too_large')
        continue
      }
      const sent = this.#queue.sentBytes
      if (sent > 0 && sent + bytes.length > WINDOW_BYTES) return
      if (!bus.publish(subject, bytes, record.messageId)) return
      this.#queue.removeFirst()
      this.#queue.markSent({ messageId: record.messageId, bytes })
    }
  }
}
