import { cutMessage } from './cut-message.ts'
import { type MessageHead, messageHeads } from './message-head.ts'
import type { RecordConnection } from './record-connection.ts'
import type { RecordMessage, RecordText } from './record-message.ts'
import { RecordPages } from './record-pages.ts'
import { RecordQueue } from './record-queue.ts'
import { RecordRoom } from './record-room.ts'

export type LostReason = 'queue_full' | 'exit' | 'too_large'

/** Memory that a record lies in. */
export type RecordMemory = {
  /** The record is made and holds what stands in its message from now on, whatever the call held before. */
  keeps(message: RecordMessage): void
  /** A connection broke while it read the record: it may not be done with the bytes. */
  interrupted(): void
  /** The bus has the record, or it is lost. */
  letGo(): void
}

export type RecordPublisher = {
  readonly connected: boolean
  /** Takes a record; it is published, kept for a bus that is away, or counted as lost. */
  publish(record: RecordText, memory?: RecordMemory): void
  /**
   * For a call that would begin: waits, a bounded time, while a connected bus is behind with the records of earlier calls.
   * undefined where there is room.
   */
  room(): Promise<void> | undefined
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
  /** A call or a record waits for room in the queue. */
  readonly waited: () => void
  /** Milliseconds that it may wait. */
  readonly waitMs?: number
}

/** At most this much is on its way at once, or a slow bus would have the whole queue a second time in the socket's buffer. */
const WINDOW_BYTES = 4 * 1024 * 1024
/** Fewer bytes wait this long for company: one write and one PING for all records of a few turns. */
const FULL_BATCH_BYTES = 256 * 1024
const LINGER_MS = 5
/** Whatever the bus takes: the file store of its streams calls larger entries corrupt (wire, 8). */
export const MOST_RECORD_BYTES = 32 * 1024 * 1024 - 4096
/** Calls begin while the queue is less full than this: what runs already has records to come. */
const OPEN_SHARE = 0.75
const WAIT_MS = 2_000

/**
 * Publishes records at least once, in order. A record leaves the queue only after a PONG that came after it; what a
 * connection took without one is published again on the next with the same message id. While a connected bus is behind and
 * the queue is full, calls and records wait for room. Then, and where the bus is away, the new record is dropped: the older
 * ones may be on their way, and one large new record doesn't push out many small ones.
 */
export function createRecordPublisher(options: RecordPublisherOptions): RecordPublisher {
  return new QueueingPublisher(options)
}

class QueueingPublisher implements RecordPublisher {
  readonly #options: RecordPublisherOptions
  readonly #headOf: (messageId: string) => MessageHead
  readonly #queue = new RecordQueue()
  readonly #pages = new RecordPages()
  readonly #room: RecordRoom
  #sequence = 0
  #running = false
  #linger: NodeJS.Timeout | undefined
  #draining: Promise<void> | undefined
  #drained: (() => void) | undefined

  constructor(options: RecordPublisherOptions) {
    this.#options = options
    this.#headOf = messageHeads(options.subject)
    this.#room = new RecordRoom((bytes) => this.#fits(bytes), options.waitMs ?? WAIT_MS)
    options.connection.onConnected(() => this.#start())
    options.connection.onDisconnected(() => this.#room.giveUp())
  }

  get connected(): boolean {
    return this.#options.connection.connected
  }

  get queuedBytes(): number {
    return this.#queue.bytes
  }

  publish(record: RecordText, memory?: RecordMemory): void {
    const message = this.#make(record)
    if (typeof message === 'string') {
      this.#lose(message, memory)
    } else {
      memory?.keeps(message)
      if (this.#room.isFree(message.length)) this.#add(message, memory)
      else this.#wait(message, memory)
    }
  }

  room(): Promise<void> | undefined {
    const reserved = this.#options.queueBytes * (1 - OPEN_SHARE)
    if (!this.connected || this.#room.isFree(reserved)) return undefined
    this.#options.waited()
    return new Promise((resolve) => this.#room.wait(reserved, () => resolve()))
  }

  close(): Promise<void> {
    return this.#options.connection.close()
  }

  drain(timeoutMs: number): Promise<void> {
    this.#draining ??= this.#drainOnce(timeoutMs)
    return this.#draining
  }

  #make(record: RecordText): RecordMessage | LostReason {
    if (this.#draining !== undefined) return 'exit'
    const head = this.#headOf(`${this.#options.messageIdPrefix}-${++this.#sequence}`)
    return this.#fit(this.#pages.encode(head, record)) ?? 'too_large'
  }

  #fits(bytes: number): boolean {
    return this.#queue.bytes + bytes <= this.#options.queueBytes
  }

  #add(message: RecordMessage, memory: RecordMemory | undefined): void {
    this.#queue.add({ message, memory })
    this.#startSoon()
  }

  #wait(message: RecordMessage, memory: RecordMemory | undefined): void {
    if (!this.connected || message.length > this.#options.queueBytes) {
      this.#lose('queue_full', memory)
      return
    }
    this.#options.waited()
    this.#room.wait(message.length, (found) => {
      if (found) this.#add(message, memory)
      else this.#lose(this.#draining === undefined ? 'queue_full' : 'exit', memory)
    })
  }

  #lose(reason: LostReason, memory: Pick<RecordMemory, 'letGo'> | undefined): void {
    memory?.letGo()
    this.#options.lost(1, reason)
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
    this.#room.giveUp()
    const left = this.#queue.count
    this.#queue.clear()
    if (left > 0) this.#options.lost(left, 'exit')
  }

  /** The record as the bus takes it now; undefined when no cut makes it fit. */
  #fit(message: RecordMessage): RecordMessage | undefined {
    return cutMessage(message, Math.min(this.#options.connection.maxPayload ?? MOST_RECORD_BYTES, MOST_RECORD_BYTES))
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
        this.#room.look()
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
    const { connection } = this.#options
    for (let record = this.#queue.first; record !== undefined; record = this.#queue.first) {
      const message = this.#fit(record.message)
      if (message === undefined) {
        this.#queue.removeFirst()
        this.#lose('too_large', record.memory)
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
