import type { Logger } from '@llm-gateway/conf'
import { DiskLimit } from '../spool/disk-limit.ts'
import { Spool, type SpoolOptions } from '../spool/spool.ts'
import { WorkQueue } from '../work/work-queue.ts'
import { CallRoom } from './call-room.ts'
import { cutMessage } from './cut-message.ts'
import { DiskRoom } from './disk-room.ts'
import { createMessageHeads, type MessageHead } from './message-head.ts'
import { OvertakenSinks } from './overtaken-sinks.ts'
import { QueueCapacity, roomForRecord } from './queue-capacity.ts'
import type { RecordConnection } from './record-connection.ts'
import { drainRecords, hasFailover } from './record-drain.ts'
import { QueuedRecord } from './record-fifo.ts'
import { RecordJournal } from './record-journal.ts'
import { type RecordMemory, type RecordTicket, settleOnRelease } from './record-memory.ts'
import type { RecordMessage, RecordText } from './record-message.ts'
import { RecordPages } from './record-pages.ts'
import { RecordQueue } from './record-queue.ts'
import { RecordReplay } from './record-replay.ts'
import { RecordRoom, type RoomCheck, type RoomRequest } from './record-room.ts'
import { RecordSender } from './record-sender.ts'
import { RecordSpill } from './record-spill.ts'
import { type RecordStatus, recordStatus } from './record-status.ts'
import { RecordStream } from './record-stream.ts'

export type LostReason = 'queue_full' | 'exit' | 'too_large' | 'no_subscriber' | 'damaged' | 'removed' | 'refused'

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
  waitForRoom(router: string, bodyBytes?: number): Promise<boolean> | undefined
  readonly status: RecordStatus
  /** The number of records that the bus's stream acknowledged since the start. */
  readonly acknowledged: number
  readonly spooledBytes: number
  /** Unix milliseconds; undefined where no record is spooled. */
  readonly oldestSpooledMs: number | undefined
  /** The bytes of all records without an acknowledgement, including sent records. */
  readonly queuedBytes: number
  /**
   * Publishes the remaining records and waits until the bus has them. Records that remain after the time stay in the
   * spool or in the journal, or are lost (`exit`). A record that is published after this call is lost, unless it is in the journal. For a bus
   * of several servers the time is `failoverMs`, which is `timeoutMs` by default.
   */
  drain(timeoutMs: number, failoverMs?: number): Promise<void>
  /** Closes the connection and the spool for good. */
  close(): Promise<void>
  /** True where drain or close ended without an answer of the disk. */
  readonly isDiskHung: boolean
}

export type SpoolSettings = Pick<SpoolOptions, 'directory' | 'maxBytes' | 'retryMs'>

export type RecordPublisherOptions = {
  readonly connection: RecordConnection
  readonly subject: string
  /** True where the bus's stream is to store records. */
  readonly usesStream: boolean
  readonly logger: Pick<Logger, 'info' | 'warn'>
  readonly queueBytes: number
  /** `<gateway_id>-<process start, ns>`; a sequence number follows (docs/reference/kept-records.md#message-ids). */
  readonly messageIdPrefix: string
  readonly onPublished: (count: number) => void
  readonly onLost: (count: number, reason: LostReason) => void
  /** Called with losses of earlier processes, which are noted in the spool. */
  readonly onEarlierLosses: (count: number, reason: string) => void
  readonly spool?: SpoolSettings
  /** True where each record is written to disk before its caller has the whole answer. */
  readonly journals?: boolean
  /** The treatment of a call whose record would find no room; default `drop`. */
  readonly whenFull?: 'drop' | 'refuse'
  /** Called when a call or a record waits for room in the queue. */
  readonly onWait: () => void
  /** The longest wait of a call or a record for room, in milliseconds. */
  readonly waitMs?: number
  /** The milliseconds after which a record without an answer is sent again. */
  readonly answerTimeoutMs?: number
  /** The longest wait for the disk at the exit, in milliseconds. */
  readonly diskLimitMs?: number
  /** The queue of slices of long work. */
  readonly work?: WorkQueue
}

/** The largest entry that the bus's file store can read, whatever `max_payload` is (docs/reference/record.md#cuts). */
export const MAX_RECORD_BYTES = 32 * 1024 * 1024 - 4096
const WAIT_MS = 2_000
/** The longest wait of a record for the spool on a slow disk. The wait may be long, since the memory is counted. */
const SPOOL_WAIT_MS = 30_000
/** The milliseconds after which a record without an answer is sent again. */
const ANSWER_TIMEOUT_MS = 5_000
/** The longest wait for the disk at the exit: a share may hang for ever. */
const DISK_LIMIT_MS = 5_000

/**
 * Creates the publisher. Records are published at least once, in order. A record leaves the queue when the bus's stream
 * has stored it or, without a stream, after a PONG; an unconfirmed record is sent again with its message id. While a
 * connected bus is behind and the queue is full, calls and records wait for room. A new record is dropped where room is
 * lacking or the bus is away, since older records may be on their way; where calls are refused instead, it is taken.
 */
export function createRecordPublisher(options: RecordPublisherOptions): RecordPublisher {
  return new NatsRecordPublisher(options)
}

class NatsRecordPublisher implements RecordPublisher {
  readonly #options: RecordPublisherOptions
  readonly #createHead: (messageId: string, token: string) => MessageHead
  readonly #queue: RecordQueue
  readonly #pages = new RecordPages()
  readonly #waitMs: number
  readonly #room: RecordRoom
  readonly #callRoom: CallRoom
  readonly #capacity: QueueCapacity
  readonly #sender: RecordSender
  readonly #sinks: OvertakenSinks | undefined
  #spool: Spool | undefined
  #diskRoom: DiskRoom | undefined
  #spill: RecordSpill | undefined
  #replay: RecordReplay | undefined
  #journal: RecordJournal | undefined
  readonly #disk: DiskLimit
  readonly #lost = new Map<string, number>()
  #acknowledged = 0
  #sequence = 0
  #draining: Promise<void> | undefined

  constructor(options: RecordPublisherOptions) {
    this.#options = options
    const { connection, subject, logger, diskLimitMs = DISK_LIMIT_MS } = options
    this.#disk = new DiskLimit(diskLimitMs)
    this.#waitMs = options.waitMs ?? WAIT_MS
    const stream = options.usesStream ? new RecordStream(subject, MAX_RECORD_BYTES) : undefined
    this.#createHead = createMessageHeads(subject, stream && { inbox: connection.inbox, stream: stream.name })
    this.#queue = new RecordQueue(options.queueBytes)
    this.#capacity = new QueueCapacity(options.queueBytes, () => this.#diskRoom)
    this.#room = new RecordRoom(this.#roomCheck(), this.#waitMs)
    this.#callRoom = new CallRoom({
      capacity: this.#capacity,
      room: this.#room,
      journal: () => this.#journal,
      refuses: this.#refusesCalls,
      canLeave: () => this.#canLeave,
      ...{ waitMs: this.#waitMs, onWait: options.onWait, nowMs: () => performance.now() },
    })
    const { answerTimeoutMs = ANSWER_TIMEOUT_MS } = options
    const sender = new RecordSender({
      connection,
      queue: this.#queue,
      stream,
      logger,
      answerTimeoutMs,
      fit: (message) => this.#fit(message),
      onLost: ({ memory }, reason) => this.#countLostRecord(reason, memory),
      onReleased: (count, stored) => this.#released(count, stored),
      onForeignAnswer: (token, answer) => this.#replay?.takeAnswer(token, answer) ?? false,
      onReady: () => this.#replay?.wake(),
      bytesBeside: () => this.#replay?.bytesOnWay ?? 0,
    })
    this.#sender = sender
    this.#sinks = stream && new OvertakenSinks({ connection, stream: stream.name, now: Date.now })
    if (options.spool !== undefined) this.#openSpool(options.spool, answerTimeoutMs)
    connection.onDisconnected(() => {
      if (!this.#canLeave) this.#room.endAll()
    })
  }

  #roomCheck(): RoomCheck {
    const [queue, capacity] = [this.#queue, this.#capacity]
    const isOnDisk = (holds: (disk: DiskRoom) => boolean): boolean =>
      !this.#refusesCalls || this.#diskRoom === undefined || holds(this.#diskRoom)
    return {
      version: () => capacity.version(queue),
      fits: (request) => capacity.hasRoom(request, queue) && isOnDisk((disk) => disk.fits(request.router)),
      hasShare: (request) => capacity.hasShare(request, queue) && isOnDisk((disk) => disk.hasShare(request.router)),
    }
  }

  /** True where a request waits for room in the queue that the spool can make. */
  #needsSpill(request: RoomRequest): boolean {
    const [queue, capacity] = [this.#queue, this.#capacity]
    if (capacity.hasRoom(request, queue) && capacity.hasShare(request, queue)) return false
    return this.#hasDisk(request.router, request.bytes)
  }

  #openSpool(options: SpoolSettings, answerTimeoutMs: number): void {
    const { connection, logger, onEarlierLosses } = this.#options
    const spool = new Spool({
      ...options,
      waitMs: this.#waitMs,
      logger,
      onLost: (count, reason) => this.#countLost(count, reason),
      onEarlierLosses: (counts) => {
        for (const [reason, count] of counts) {
          this.#addLost(count, reason)
          onEarlierLosses(count, reason)
        }
      },
      onChange: () => this.#replay?.wake(),
    })
    this.#spool = spool
    const [queue, { maxBytes }, { queueBytes }] = [this.#queue, options, this.#options]
    const disk = new DiskRoom({ spool, queue, maxBytes, queueBytes })
    this.#diskRoom = disk
    if (this.#options.journals === true) {
      const [room, maxRecordBytes, nowMs] = [this.#room, () => this.#maxRecordBytes, () => performance.now()]
      this.#journal = new RecordJournal({ spool, disk, room, maxRecordBytes, logger, nowMs })
    }
    this.#spill = new RecordSpill({
      queue: this.#queue,
      sender: this.#sender,
      spool,
      isSlow: () => this.#room.isSlow((request) => this.#needsSpill(request)),
      onSpilled: () => this.#room.serve(),
    })
    this.#replay = new RecordReplay({
      connection,
      sender: this.#sender,
      spool,
      createHead: this.#createHead,
      answerTimeoutMs,
      work: this.#options.work ?? new WorkQueue(),
      fit: (message) => this.#fit(message),
      onReleased: (count, stored) => this.#released(count, stored),
      onLost: (count, reason) => this.#countLost(count, reason),
      onRemoved: () => this.#room.serve(),
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
    return this.#journal !== undefined
  }

  async journal(record: RecordText): Promise<RecordTicket> {
    const sequence = String(++this.#sequence)
    const message = this.#fit(this.#pages.encode(this.#head(sequence), record))
    if (message === undefined || this.#journal === undefined) return { sequence, entry: undefined }
    const { head, pieces } = message
    const source = { id: head.messageId, router: record.router, pieces, isIncomplete: true, createdMs: Date.now() }
    return { sequence, entry: await this.#journal.append(source) }
  }

  publish(record: RecordText, held?: RecordMemory, ticket?: RecordTicket): void {
    const memory = ticket?.entry === undefined ? held : settleOnRelease(held, ticket.entry)
    const message = this.#encode(record, ticket)
    if (message === 'exit' && ticket?.entry?.isKept() === true) {
      // The next process sends the record from the journal, as after a kill.
      held?.release()
    } else if (typeof message === 'string') {
      this.#countLostRecord(message, memory)
    } else {
      memory?.takeOver(message)
      // Where calls wait for room before they begin, limits.buffered_bytes has counted the call from its first byte.
      const hasRoom = this.#refusesCalls && memory?.foundRoom !== false
      const queued = new QueuedRecord(message, { router: record.router, memory, createdMs: Date.now() })
      if (hasRoom || this.#room.isFree(roomForRecord(record.router, message.length))) this.#add(queued)
      else this.#wait(queued)
    }
  }

  waitForRoom(router: string, bodyBytes = Number.POSITIVE_INFINITY): Promise<boolean> | undefined {
    return this.#callRoom.wait(router, bodyBytes)
  }

  get #refusesCalls(): boolean {
    return this.#options.whenFull === 'refuse'
  }

  #hasDisk(router: string, bytes: number): boolean {
    return this.#diskRoom?.hasRoom(router, bytes) === true
  }

  get status(): RecordStatus {
    const parts = { sender: this.#sender, queue: this.#queue, spool: this.#spool, overtaken: this.#sinks?.recent ?? {} }
    const unjournalled = this.#journal?.missed ?? 0
    return recordStatus({ ...parts, acknowledged: this.#acknowledged, unjournalled, lost: this.#lost })
  }

  get isDiskHung(): boolean {
    return this.#disk.isOver
  }

  async close(): Promise<void> {
    this.#sender.close()
    this.#sinks?.close()
    this.#spill?.close()
    await this.#disk.wait(this.#replay?.close())
    await this.#options.connection.close()
    await this.#disk.wait(this.#spool?.close())
  }

  drain(timeoutMs: number, failoverMs = timeoutMs): Promise<void> {
    this.#draining ??= this.#drainOnce(hasFailover(this.#options.connection) ? failoverMs : timeoutMs)
    return this.#draining
  }

  #drainOnce(timeoutMs: number): Promise<void> {
    const { connection, logger } = this.#options
    const parts = { connection, logger, queue: this.#queue, room: this.#room, sender: this.#sender }
    const onDisk = { spool: this.#spool, spill: this.#spill, replay: this.#replay, disk: this.#disk }
    return drainRecords({ ...parts, ...onDisk, onLost: (count) => this.#countLost(count, 'exit') }, timeoutMs)
  }

  #encode(record: RecordText, ticket: RecordTicket | undefined): RecordMessage | LostReason {
    if (this.#draining !== undefined) return 'exit'
    const sequence = ticket?.sequence ?? String(++this.#sequence)
    return this.#fit(this.#pages.encode(this.#head(sequence), record)) ?? 'too_large'
  }

  #head(sequence: string): MessageHead {
    return this.#createHead(`${this.#options.messageIdPrefix}-${sequence}`, sequence)
  }

  #add(record: QueuedRecord): void {
    this.#queue.add(record)
    this.#sender.startSoon()
  }

  /** True where records leave the queue to the bus or to disk, so that waiting helps. */
  get #canLeave(): boolean {
    const { acceptsRecords = false, state } = this.#spool ?? {}
    return this.connected || acceptsRecords || state === 'opening'
  }

  #wait(record: QueuedRecord): void {
    const { message, router, memory } = record
    if (!this.#canLeave || message.length > this.#options.queueBytes) {
      this.#countLostRecord('queue_full', memory)
      return
    }
    this.#options.onWait()
    const taken = (hasRoom: boolean): void => {
      // At the end of the process the spool takes the waiting records; the memory of the record is counted already.
      if (hasRoom || this.#sender.isDraining) this.#add(record)
      else this.#countLostRecord('queue_full', memory)
    }
    const waitMs = this.#hasDisk(router, message.length) ? Math.max(this.#waitMs, SPOOL_WAIT_MS) : this.#waitMs
    this.#room.wait(roomForRecord(router, message.length), taken, waitMs)
  }

  #released(count: number, stored: boolean): void {
    if (count > 0) this.#options.onPublished(count)
    if (stored) this.#acknowledged += count
    this.#room.serve()
  }

  #countLostRecord(reason: LostReason, memory: Pick<RecordMemory, 'release'> | undefined): void {
    memory?.release()
    this.#countLost(1, reason)
    this.#room.serve() // The record may have left the queue.
  }

  #countLost(count: number, reason: LostReason): void {
    this.#addLost(count, reason)
    this.#spool?.countLost(count, reason)
    this.#options.onLost(count, reason)
  }

  #addLost(count: number, reason: string): void {
    this.#lost.set(reason, (this.#lost.get(reason) ?? 0) + count)
  }

  /** Returns the record in a size that the bus takes; undefined when no cut makes it fit. */
  #fit(message: RecordMessage): RecordMessage | undefined {
    return cutMessage(message, this.#maxRecordBytes)
  }

  get #maxRecordBytes(): number {
    const { maxPayload = MAX_RECORD_BYTES } = this.#options.connection
    return Math.min(maxPayload, this.#sender.maxStoredBytes, MAX_RECORD_BYTES)
  }
}
