import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '@llm-gateway/conf'
import type { JournalEntry } from '../spool/journal.ts'
import { Spool, type SpoolOptions } from '../spool/spool.ts'
import { cutMessage } from './cut-message.ts'
import { type MessageHead, messageHeads } from './message-head.ts'
import { OvertakenSinks } from './overtaken-sinks.ts'
import { QueueParts, roomForRecord } from './queue-parts.ts'
import type { RecordConnection } from './record-connection.ts'
import { QueuedRecord } from './record-line.ts'
import { type RecordMemory, settling } from './record-memory.ts'
import type { RecordMessage, RecordText } from './record-message.ts'
import { RecordOutlet } from './record-outlet.ts'
import { RecordPages } from './record-pages.ts'
import { RecordQueue } from './record-queue.ts'
import { RecordReplay } from './record-replay.ts'
import { RecordRoom } from './record-room.ts'
import { RecordSpill } from './record-spill.ts'
import { type RecordStatus, recordStatus } from './record-status.ts'
import { RecordStream } from './record-stream.ts'

export type LostReason = 'queue_full' | 'exit' | 'too_large' | 'damaged' | 'removed'

/** A journalled record: its id, and its entry in the journal. */
export type RecordTicket = {
  readonly sequence: string
  /** undefined where the record couldn't be written. */
  readonly entry: JournalEntry | undefined
}

export type RecordPublisher = {
  readonly connected: boolean
  /** Takes a record, which is published, kept while the bus is away, or counted as lost. */
  publish(record: RecordText, memory?: RecordMemory, ticket?: RecordTicket): void
  /** True where `journal` must be called with each record before its caller has the whole answer. */
  readonly journals: boolean
  /** Writes a record to disk as it is now and returns the ticket for its `publish`; never rejects. */
  journal(record: RecordText): Promise<RecordTicket>
  /**
   * Waits while bus and spool are behind before a call of `bodyBytes` announced bytes begins; undefined where there is
   * room. Resolves with false where the call must be refused, for lack of room within a bounded time.
   */
  room(bodyBytes?: number): Promise<boolean> | undefined
  readonly status: RecordStatus
  /** The number of records that the bus's stream acknowledged since the start. */
  readonly acknowledged: number
  readonly spooledBytes: number
  /** Unix milliseconds; undefined where no record is spooled. */
  readonly oldestSpooledMs: number | undefined
  /** The bytes of all records without an acknowledgement, sent ones included. */
  readonly queuedBytes: number
  /**
   * Publishes the remaining records and waits until the bus has them. Records that remain after the time stay in the
   * spool or are lost (`exit`), and so are later ones. With several servers `failoverMs`, by default `timeoutMs`,
   * counts.
   */
  drain(timeoutMs: number, failoverMs?: number): Promise<void>
  /** Closes the connection for good. */
  close(): Promise<void>
}

export type SpoolSettings = Pick<SpoolOptions, 'directory' | 'maxBytes' | 'retryMs'>

export type RecordPublisherOptions = {
  readonly connection: RecordConnection
  readonly subject: string
  /** True where the bus's stream is to store records. */
  readonly keeps: boolean
  readonly logger: Pick<Logger, 'info' | 'warn'>
  readonly queueBytes: number
  /** `<gateway_id>-<process start, ns>`; a sequence number follows (docs/reference/kept-records.md#message-ids). */
  readonly messageIdPrefix: string
  readonly published: (count: number) => void
  readonly lost: (count: number, reason: LostReason) => void
  /** Called with losses of earlier processes, which are noted in the spool. */
  readonly lostBefore: (count: number, reason: string) => void
  readonly spool?: SpoolSettings
  /** True where each record is written to disk before its caller has the whole answer. */
  readonly journals?: boolean
  /** The treatment of a call whose record would find no room; default `drop`. */
  readonly whenFull?: 'drop' | 'refuse'
  /** Called when a call or a record waits for room in the queue. */
  readonly waited: () => void
  /** The longest wait in milliseconds. */
  readonly waitMs?: number
  /** The milliseconds after which a record without an answer is sent again. */
  readonly answerTimeoutMs?: number
}

/** The largest entry that the bus's file store can read, whatever `max_payload` is (docs/reference/record.md#cuts). */
export const MOST_RECORD_BYTES = 32 * 1024 * 1024 - 4096
/** The largest share of a small spool that is kept free for running calls. */
const MOST_RESERVED_SHARE = 0.25
const WAIT_MS = 2_000
/** The longest wait of a record that the spool will take, even on a slow disk: its memory is counted. */
const SPOOL_WAIT_MS = 30_000
/** The milliseconds after which a record without an answer is sent again. */
const ANSWER_TIMEOUT_MS = 5_000
const DRAIN_LOOK_MS = 5
const JOURNAL_LOOK_MS = 50
/** At exit the remaining records go to disk once the bus has been silent for this long. */
const DRAIN_SILENCE_MS = 1_000

/**
 * Creates the publisher. Records are published at least once, in order. A record leaves the queue when the bus's stream
 * has stored it or, without a stream, after a PONG; an unconfirmed record is sent again with its message id. While a
 * connected bus is behind and the queue is full, calls and records wait for room. A new record is dropped where room is
 * lacking or the bus is away, since older ones may be on their way. Where calls are refused instead, each record of an
 * admitted call is taken, beyond `queueBytes` too.
 */
export function createRecordPublisher(options: RecordPublisherOptions): RecordPublisher {
  return new QueueingPublisher(options)
}

class QueueingPublisher implements RecordPublisher {
  readonly #options: RecordPublisherOptions
  readonly #headOf: (messageId: string, token: string) => MessageHead
  readonly #queue = new RecordQueue()
  readonly #pages = new RecordPages()
  readonly #room: RecordRoom
  readonly #part: QueueParts
  readonly #outlet: RecordOutlet
  readonly #sinks: OvertakenSinks | undefined
  #spool: Spool | undefined
  #spill: RecordSpill | undefined
  #replay: RecordReplay | undefined
  readonly #lost = new Map<string, number>()
  #acknowledged = 0
  #sequence = 0
  #draining: Promise<void> | undefined

  constructor(options: RecordPublisherOptions) {
    this.#options = options
    const { connection, subject, logger } = options
    const stream = options.keeps ? new RecordStream(subject, MOST_RECORD_BYTES) : undefined
    this.#headOf = messageHeads(subject, stream && { inbox: connection.inbox, stream: stream.name })
    this.#part = new QueueParts(options.queueBytes)
    this.#room = new RecordRoom(
      (request) => this.#part.has(request, this.#queue.bytes) && (!this.#refuses || this.#fitsOnDisk),
      options.waitMs ?? WAIT_MS,
    )
    const { answerTimeoutMs = ANSWER_TIMEOUT_MS } = options
    const outlet = new RecordOutlet({
      connection,
      queue: this.#queue,
      stream,
      logger,
      answerTimeoutMs,
      fit: (message) => this.#fit(message),
      tooLarge: ({ memory }) => this.#lose('too_large', memory),
      released: (count, stored) => this.#released(count, stored),
      foreignAnswer: (token, answer) => this.#replay?.answered(token, answer) ?? false,
      ready: () => this.#replay?.wake(),
    })
    this.#outlet = outlet
    this.#sinks = stream && new OvertakenSinks({ connection, stream: stream.name, now: Date.now })
    if (options.spool !== undefined) this.#spoolWith(options.spool, answerTimeoutMs)
    connection.onDisconnected(() => {
      if (!this.#hasWayOut) this.#room.giveUp()
    })
  }

  #spoolWith(options: SpoolSettings, answerTimeoutMs: number): void {
    const { connection, logger, lostBefore } = this.#options
    const outlet = this.#outlet
    const spool = new Spool({
      ...options,
      logger,
      lost: (count, reason) => this.#count(count, reason),
      lostBefore: (counts) => {
        for (const [reason, count] of counts) {
          this.#addLost(count, reason)
          lostBefore(count, reason)
        }
      },
      changed: () => this.#replay?.wake(),
    })
    this.#spool = spool
    this.#spill = new RecordSpill({
      queue: this.#queue,
      outlet,
      spool,
      isSlow: () => this.#room.isSlow,
      left: () => this.#room.look(),
    })
    this.#replay = new RecordReplay({
      connection,
      outlet,
      spool,
      headOf: this.#headOf,
      answerTimeoutMs,
      fit: (message) => this.#fit(message),
      released: (count, stored) => this.#released(count, stored),
      tooLarge: () => this.#count(1, 'too_large'),
      left: () => this.#room.look(),
    })
  }

  get connected(): boolean {
    return this.#options.connection.connected
  }

  get queuedBytes(): number {
    return this.#queue.bytes
  }

  get acknowledged(): number {
    return this.#acknowledged
  }

  get spooledBytes(): number {
    return this.#spool?.bytes ?? 0
  }

  get oldestSpooledMs(): number | undefined {
    return this.#spool?.oldestMs
  }

  get journals(): boolean {
    return this.#options.journals === true && this.#spool !== undefined
  }

  async journal(record: RecordText): Promise<RecordTicket> {
    const sequence = String(++this.#sequence)
    const message = this.#fit(this.#pages.encode(this.#head(sequence), record))
    if (message === undefined || this.#spool === undefined) return { sequence, entry: undefined }
    const { head, pieces } = message
    const source = { id: head.messageId, pieces, isIncomplete: true, madeMs: Date.now() }
    return { sequence, entry: await this.#spool.journal(source) }
  }

  publish(record: RecordText, held?: RecordMemory, ticket?: RecordTicket): void {
    const memory = ticket?.entry === undefined ? held : settling(held, ticket.entry)
    const message = this.#make(record, ticket)
    if (typeof message === 'string') {
      this.#lose(message, memory)
    } else {
      memory?.keeps(message)
      // Its call was admitted: the memory account of calls (limits.buffered_bytes) has counted it from its first byte.
      if (this.#refuses || this.#room.isFree(roomForRecord(message.length))) this.#add(message, memory)
      else this.#wait(message, memory)
    }
  }

  room(bodyBytes = Number.POSITIVE_INFINITY): Promise<boolean> | undefined {
    const { waited } = this.#options
    const refuses = this.#refuses
    if (refuses && this.journals && !this.#hasJournal) return this.#waitForJournal()
    const request = this.#part.roomForCall(bodyBytes)
    if (this.#room.isFree(request) || (!refuses && !this.#hasWayOut)) return undefined
    waited()
    return new Promise((resolve) => this.#room.wait(request, (found) => resolve(found || !refuses)))
  }

  get #refuses(): boolean {
    return this.#options.whenFull === 'refuse'
  }

  /** Waits for the journal: with journal and refusal both configured, no call runs without a journal. */
  async #waitForJournal(): Promise<boolean> {
    const { waitMs = WAIT_MS, waited } = this.#options
    waited()
    const endMs = performance.now() + waitMs
    while (!this.#hasJournal && performance.now() < endMs) await sleep(JOURNAL_LOOK_MS)
    return this.#hasJournal
  }

  get #hasJournal(): boolean {
    return this.#spool?.takes === true
  }

  get status(): RecordStatus {
    const parts = { outlet: this.#outlet, queue: this.#queue, spool: this.#spool, overtaken: this.#sinks?.recent ?? {} }
    return recordStatus({ ...parts, acknowledged: this.#acknowledged, lost: this.#lost })
  }

  async close(): Promise<void> {
    this.#outlet.close()
    this.#sinks?.close()
    this.#spill?.close()
    await this.#replay?.close()
    await this.#options.connection.close()
    await this.#spool?.close()
  }

  drain(timeoutMs: number, failoverMs = timeoutMs): Promise<void> {
    this.#draining ??= this.#drainOnce(this.#hasFailover ? failoverMs : timeoutMs)
    return this.#draining
  }

  #make(record: RecordText, ticket: RecordTicket | undefined): RecordMessage | LostReason {
    if (this.#draining !== undefined) return 'exit'
    const sequence = ticket?.sequence ?? String(++this.#sequence)
    return this.#fit(this.#pages.encode(this.#head(sequence), record)) ?? 'too_large'
  }

  #head(sequence: string): MessageHead {
    return this.#headOf(`${this.#options.messageIdPrefix}-${sequence}`, sequence)
  }

  /** True where the spool could take the records in memory and those of running calls, if the gateway ended now. */
  get #fitsOnDisk(): boolean {
    const { queueBytes, spool: { maxBytes } = { maxBytes: 0 } } = this.#options
    if (this.#spool === undefined || !this.#spool.isOpen) return true
    const reserved = Math.min(queueBytes, maxBytes * MOST_RESERVED_SHARE)
    return this.#spool.bytes + this.#queue.bytes + reserved <= maxBytes
  }

  #add(message: RecordMessage, memory: RecordMemory | undefined): void {
    this.#queue.add(new QueuedRecord(message, memory, Date.now()))
    this.#outlet.startSoon()
  }

  /** True where records leave the queue to the bus or to disk, so that waiting helps. */
  get #hasWayOut(): boolean {
    const { takes = false, status } = this.#spool ?? {}
    return this.connected || takes || status?.spool === 'opening'
  }

  #wait(message: RecordMessage, memory: RecordMemory | undefined): void {
    if (!this.#hasWayOut || message.length > this.#options.queueBytes) {
      this.#lose('queue_full', memory)
      return
    }
    this.#options.waited()
    this.#room.wait(
      roomForRecord(message.length),
      (found) => {
        if (found) this.#add(message, memory)
        else this.#lose(this.#draining === undefined ? 'queue_full' : 'exit', memory)
      },
      this.#recordWaitMs,
    )
  }

  get #recordWaitMs(): number {
    const { waitMs = WAIT_MS } = this.#options
    return this.#spool?.takes === true ? Math.max(waitMs, SPOOL_WAIT_MS) : waitMs
  }

  #released(count: number, stored: boolean): void {
    if (count > 0) this.#options.published(count)
    if (stored) this.#acknowledged += count
    this.#room.look()
  }

  #lose(reason: LostReason, memory: Pick<RecordMemory, 'letGo'> | undefined): void {
    memory?.letGo()
    this.#count(1, reason)
  }

  #count(count: number, reason: LostReason): void {
    this.#addLost(count, reason)
    this.#spool?.count(count, reason)
    this.#options.lost(count, reason)
  }

  #addLost(count: number, reason: string): void {
    this.#lost.set(reason, (this.#lost.get(reason) ?? 0) + count)
  }

  /** Publishes records until the time is over, then writes the rest to disk. */
  async #drainOnce(timeoutMs: number): Promise<void> {
    const { logger } = this.#options
    const endMs = performance.now() + timeoutMs
    this.#outlet.hurried = true
    this.#outlet.startSoon()
    while (performance.now() < endMs && !this.#isDrained) await sleep(DRAIN_LOOK_MS)
    this.#room.giveUp()
    await this.#spill?.rest()
    await this.#replay?.close()
    const left = this.#queue.count
    this.#queue.clear()
    if (left > 0) this.#count(left, 'exit')
    const spool = this.#spool
    await spool?.takeStock()
    if (spool !== undefined && spool.records > 0) logger.warn({ ...spool.status }, 'records stay in the spool')
  }

  /** True where another server takes over within seconds: waiting helps then, and a spool may be lost with its pod. */
  get #hasFailover(): boolean {
    return this.#options.connection.servers > 1
  }

  /** True where no record is left, or the rest is safer on disk. */
  get #isDrained(): boolean {
    const spool = this.#spool
    const isQueueEmpty = this.#queue.count === 0
    if (isQueueEmpty && (spool === undefined || spool.records === 0)) return true
    if (this.#hasFailover) return false
    if (isQueueEmpty && !this.#outlet.isReady) return true
    return spool?.takes === true && (!this.connected || this.#outlet.silentMs > DRAIN_SILENCE_MS)
  }

  /** Returns the record in a size that the bus takes; undefined when no cut makes it fit. */
  #fit(message: RecordMessage): RecordMessage | undefined {
    const { maxPayload = MOST_RECORD_BYTES } = this.#options.connection
    return cutMessage(message, Math.min(maxPayload, this.#outlet.maxStoredBytes, MOST_RECORD_BYTES))
  }
}
