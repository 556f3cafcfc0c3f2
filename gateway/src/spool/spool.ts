import { type FileHandle, open, readdir, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Logger } from '@llm-gateway/conf'
import { errorCode } from '@llm-gateway/conf/failure'
import { DiskLimit } from './disk-limit.ts'
import { type FolderLock, lockFolder, prepareFolder } from './folder-lock.ts'
import { type FrameSource, frameSourceBytes } from './frame.ts'
import { Journal, type JournalEntry } from './journal.ts'
import { findLeftSegments } from './left-segments.ts'
import { LossCounters } from './loss-counters.ts'
import { readBatch, type StoredRecord } from './segment-file.ts'
import { SegmentList } from './segment-list.ts'
import { type Segment, SegmentWriter } from './segment-writer.ts'
import { type SegmentKind, segmentName } from './spool-entries.ts'
import { SpoolRoom } from './spool-room.ts'
import { type SpoolCode, type SpoolStatus, spoolStatus } from './spool-status.ts'

export type SpoolOptions = {
  readonly directory: string
  readonly maxBytes: number
  readonly logger: Pick<Logger, 'info' | 'warn'>
  readonly onLost: (count: number, reason: 'damaged' | 'removed') => void
  /** Called with the losses of earlier processes. */
  readonly onEarlierLosses: (counts: ReadonlyMap<string, number>) => void
  /** Called when the spool takes records again, or has some to read. */
  readonly onChange: () => void
  readonly nowMs?: () => number
  /** The milliseconds after which an unusable folder is tried again. */
  readonly retryMs?: number
  /** The longest wait in milliseconds of the journal for a folder that is being opened. */
  readonly waitMs: number
}

/** A batch of records that was read; `remove` removes it. */
export type SpoolBatch = {
  readonly records: readonly StoredRecord[]
  /** The number of records whose bytes fail their checksum. */
  readonly damaged: number
  readonly segment: Segment
  readonly end: number
}

const SEGMENT_BYTES = 8 * 1024 * 1024
const READ_BYTES = 256 * 1024
const RETRY_MS = 5_000
/** The milliseconds between two checks that the folder still exists. */
const FOLDER_CHECK_MS = 1_000
/** The milliseconds after which a full disk is tried again. */
const FULL_RETRY_MS = 1_000

/**
 * Records on disk, in segments of 8 MiB, read in the order of writing. A folder belongs to one process; an unusable one
 * is tried again every 5 s, and a removed one is created again within a second, with its records counted as lost.
 * Writes and reads are asynchronous, one at a time, without sync: records outlive the process, not a loss of power.
 */
export class Spool {
  readonly #options: SpoolOptions
  readonly #nowMs: () => number
  #state: 'opening' | 'on' | 'off' = 'opening'
  #code: SpoolCode | undefined
  #lock: FolderLock | undefined
  readonly #losses = new LossCounters()
  readonly room: SpoolRoom
  readonly #segments: SegmentList
  #writer: SegmentWriter | undefined
  #reader: { readonly segment: Segment; readonly file: FileHandle } | undefined
  #nextNumber = 1
  readonly #journal: Journal
  #retry: NodeJS.Timeout | undefined
  readonly #folderTimer: NodeJS.Timeout
  #blockedUntilMs = 0
  #isCounted = false
  #isClosed = false
  #opening: Promise<void> = Promise.resolve()
  /** Resolves at the end of the opening, or `waitMs` after its beginning. */
  #openingInTime: Promise<void> = Promise.resolve()
  #writing: Promise<unknown> = Promise.resolve()

  constructor(options: SpoolOptions) {
    this.#options = options
    this.#nowMs = options.nowMs ?? (() => performance.now())
    this.room = new SpoolRoom({ ...options, nowMs: this.#nowMs, usedBytes: () => this.usedBytes })
    this.#segments = new SegmentList(this.room.shares)
    this.#journal = new Journal({
      shares: this.room.shares,
      maxBytes: options.maxBytes,
      nextPath: () => this.#nextPath('journal'),
      onFailure: (error) => this.#pauseWrites(errorCode(error)),
    })
    this.#beginOpening()
    // The check never rejects.
    this.#folderTimer = setInterval(() => void this.#oneByOne(() => this.#followRemoval()), FOLDER_CHECK_MS)
    this.#folderTimer.unref()
  }

  /** Resolves when the first attempt to open the folder is over; never rejects. */
  get opened(): Promise<void> {
    return this.#opening
  }

  /** True where records can be written now. */
  get acceptsRecords(): boolean {
    return this.#state === 'on' && this.#nowMs() >= this.#blockedUntilMs && this.usedBytes < this.#options.maxBytes
  }

  /** `on` where the folder is usable, even when it is full. */
  get state(): SpoolStatus['spool'] {
    return this.#state
  }

  get bytes(): number {
    return this.#segments.bytes
  }

  /** The bytes of the spooled records and of the journal. */
  get usedBytes(): number {
    return this.bytes + this.#journal.bytes + this.#journal.waitingBytes
  }

  get records(): number {
    return this.#segments.records
  }

  /** The time of the oldest record, or of the record before it, in Unix milliseconds. */
  get oldestMs(): number | undefined {
    return this.#segments.oldestMs
  }

  get status(): SpoolStatus {
    // The code of a full disk is shown for a limited time: without new records no write would clear it.
    const code = this.#state === 'on' && this.#nowMs() >= this.#blockedUntilMs + FULL_RETRY_MS ? undefined : this.#code
    const { records, bytes, oldestMs } = this.#segments
    return spoolStatus({ state: this.#state, code, records, bytes, journalBytes: this.#journal.bytes, oldestMs })
  }

  /** Counts lost records, for the next process too. */
  countLost(count: number, reason: string): void {
    this.#losses.add(count, reason)
  }

  /**
   * Writes all records and resolves with true, or writes none and resolves with false; never rejects. `isLast` is that of
   * the room's `admission`.
   */
  append(records: readonly FrameSource[], isLast = false): Promise<boolean> {
    return this.#oneByOne(() => this.#append(records, isLast))
  }

  /** Pauses the writes, because no record has room. */
  noteFull(): void {
    this.#pauseWrites('SPOOL_FULL')
  }

  /** Tries the disk again at once, because the process ends. */
  endPause(): void {
    this.#blockedUntilMs = 0
  }

  /**
   * Writes a record in case this process is killed; resolves with undefined where the record can't be written. Never
   * rejects.
   */
  async journal(record: FrameSource): Promise<JournalEntry | undefined> {
    // The first calls of a process may be answered before its folder is open; a disk that hangs must not hold them.
    if (!this.acceptsRecords) await this.#openingInTime
    if (!this.acceptsRecords || !this.room.hasRoom(record.router, frameSourceBytes(record))) return undefined
    return await this.#journal.append(record)
  }

  /** Reads the next records, undefined where there are none; never rejects. `remove` must precede the next `read`. */
  async read(): Promise<SpoolBatch | undefined> {
    if (this.#state !== 'on') return undefined
    for (;;) {
      const segment = this.#segments.first
      if (segment === undefined) return undefined
      if (segment.bytes === segment.readBytes) {
        if (segment === this.#writer?.segment) return undefined
        // The disk was full at the segment's first record, and nothing more is written to the segment.
        await this.#removeSegment(segment)
        continue
      }
      // A segment that is read takes no further records.
      if (segment === this.#writer?.segment) await this.#oneByOne(() => this.#seal())
      const batch = await this.#readFrom(segment)
      if (batch !== undefined && batch.records.length > 0) return batch
      if (batch !== undefined) await this.remove(batch)
      else await this.#dropSegment(segment)
    }
  }

  /** Removes a batch that the bus has. */
  async remove({ segment, end, records, damaged }: SpoolBatch): Promise<void> {
    if (damaged > 0) this.#noteDamaged(segment, damaged)
    this.#segments.markRead(segment, end, records.length + damaged)
    segment.oldestMs = records.at(-1)?.createdMs ?? segment.oldestMs
    if (segment.readBytes >= segment.bytes) await this.#removeSegment(segment)
  }

  /** Counts records that vanished from disk as lost, since the next process won't find them. Never rejects. */
  countVanished(): Promise<void> {
    return this.#oneByOne(async () => {
      await this.#followRemoval()
      if (this.#segments.first === undefined) return
      const names = await readdir(this.#options.directory).catch(() => undefined)
      if (names === undefined) return
      const present = new Set(names)
      this.#forget(({ path }) => !present.has(basename(path)))
    })
  }

  /** Never rejects; a disk that hangs may keep it waiting for ever. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#retry)
    clearInterval(this.#folderTimer)
    await this.#opening
    await this.countVanished()
    this.#state = 'off'
    await this.#oneByOne(() => this.#seal())
    await this.#journal.close()
    await this.#reader?.file.close().catch(() => undefined)
    await this.#losses.close()
    this.#lock?.close()
  }

  /** Runs changes of the written segment one after another; `change` must not reject. */
  #oneByOne<Result>(change: () => Promise<Result>): Promise<Result> {
    const changed = this.#writing.then(change)
    this.#writing = changed
    return changed
  }

  #beginOpening(): void {
    this.#opening = this.#open() // never rejects
    this.#openingInTime = new DiskLimit(this.#options.waitMs).wait(this.#opening)
  }

  async #open(): Promise<void> {
    const { directory, logger, onEarlierLosses, onChange } = this.#options
    try {
      await prepareFolder(directory)
      const locked = await lockFolder(directory)
      if (locked.kind !== 'locked') return this.#noteUnusable(locked.kind === 'taken' ? 'SPOOL_TAKEN' : locked.code)
      this.#lock = locked.lock
      if (this.#isCounted) this.#losses.reopen(directory)
      else onEarlierLosses(await this.#losses.open(directory))
      this.#isCounted = true
      await this.#takeLeftSegments()
      if (this.#isClosed) return
      const leftOver = { records: this.records, bytes: this.bytes }
      if (leftOver.records > 0) logger.info({ directory, ...leftOver }, 'records found in the spool')
      else if (this.#code !== undefined) logger.info({ directory }, 'spool folder is usable again')
      this.#state = 'on'
      this.#code = undefined
      onChange()
    } catch (error) {
      this.#lock?.close()
      this.#lock = undefined
      this.#noteUnusable(errorCode(error))
    }
  }

  /** Continues in a new folder where the used one was removed. Never rejects. */
  async #followRemoval(): Promise<void> {
    if (this.#state !== 'on' || this.#lock === undefined || (await this.#lock.isInPlace())) return
    const { directory, logger } = this.#options
    const records = this.records
    this.#state = 'off'
    this.#lock.close()
    this.#lock = undefined
    this.#journal.startSegment()
    await this.#seal()
    // The segment being read stays, since the kernel keeps an open file.
    this.#forget((segment) => segment !== this.#reader?.segment)
    logger.warn({ directory, records: records - this.records }, 'spool folder was removed together with its records')
    if (this.#isClosed) return
    this.#beginOpening()
    await this.#opening
  }

  #forget(isGone: (segment: Segment) => boolean): void {
    const gone = this.#segments.remove(isGone)
    const records = gone.reduce((sum, segment) => sum + segment.records - segment.readRecords, 0)
    if (records > 0) this.#options.onLost(records, 'removed')
  }

  #noteUnusable(code: SpoolCode): void {
    const { directory, logger, retryMs = RETRY_MS } = this.#options
    const means = 'while the bus is away, records wait in memory only and are lost with the process'
    if (this.#code !== code) logger.warn({ directory, code, means }, 'spool folder is not usable')
    this.#state = 'off'
    this.#code = code
    if (this.#isClosed) return
    this.#retry = setTimeout(() => this.#beginOpening(), retryMs)
    this.#retry.unref()
  }

  /** Takes the segments that earlier processes left. */
  async #takeLeftSegments(): Promise<void> {
    const { directory, logger, onLost } = this.#options
    this.#segments.remove((segment) => segment !== this.#reader?.segment)
    const left = await findLeftSegments(directory, { logger, isClosed: () => this.#isClosed })
    this.#nextNumber = Math.max(this.#nextNumber, left.nextNumber)
    this.#segments.addLeft(left.segments)
    if (left.torn > 0) onLost(left.torn, 'damaged')
  }

  async #append(records: readonly FrameSource[], isLast: boolean): Promise<boolean> {
    await this.#followRemoval()
    if (!this.acceptsRecords) return false
    // Records of the journal may have come since the batch was chosen.
    const admission = this.room.admission(isLast)
    if (!records.every((record) => admission.admits(record.router, frameSourceBytes(record)))) {
      if (admission.isFull()) this.noteFull()
      return false
    }
    const bytes = records.reduce((sum, record) => sum + frameSourceBytes(record), 0)
    try {
      const writer = await this.#writerFor(bytes)
      await writer.append(records)
      this.#segments.count(writer.segment, records)
    } catch (error) {
      this.#pauseWrites(errorCode(error))
      return false
    }
    if (this.#code !== undefined)
      this.#options.logger.info({ directory: this.#options.directory }, 'spool folder is usable again')
    this.#code = undefined
    this.#options.onChange()
    return true
  }

  #pauseWrites(code: SpoolCode): void {
    const { directory, logger, maxBytes } = this.#options
    if (this.#code !== code) logger.warn({ directory, code, max_bytes: maxBytes }, 'spool accepts no records')
    this.#code = code
    this.#blockedUntilMs = this.#nowMs() + FULL_RETRY_MS
  }

  async #writerFor(bytes: number): Promise<SegmentWriter> {
    const { segment } = this.#writer ?? {}
    if (segment !== undefined && segment.records > 0 && segment.bytes + bytes > SEGMENT_BYTES) await this.#seal()
    if (this.#writer !== undefined) return this.#writer
    this.#writer = await SegmentWriter.create(() => this.#nextPath('records'))
    this.#segments.add(this.#writer.segment)
    return this.#writer
  }

  #nextPath(kind: SegmentKind): string {
    const name = segmentName(this.#nextNumber, kind)
    this.#nextNumber += 1
    return join(this.#options.directory, name)
  }

  async #seal(): Promise<void> {
    const writer = this.#writer
    this.#writer = undefined
    await writer?.close().catch(() => undefined)
  }

  async #readFrom(segment: Segment): Promise<SpoolBatch | undefined> {
    try {
      if (this.#reader?.segment !== segment) this.#reader = { segment, file: await open(segment.path, 'r') }
      const { readBytes, bytes } = segment
      const batch = await readBatch(this.#reader.file, readBytes, { bytes: READ_BYTES, end: bytes })
      if (batch.end === readBytes) return undefined
      return { ...batch, segment }
    } catch (error) {
      if (!(error instanceof Error && 'code' in error)) throw error
      return undefined
    }
  }

  #noteDamaged({ path }: Segment, count: number): void {
    this.#options.logger.warn({ file: path, records: count }, 'spool segment is damaged')
    this.#options.onLost(count, 'damaged')
  }

  /** Counts the rest of an unreadable segment as damaged and removes the segment. */
  async #dropSegment(segment: Segment): Promise<void> {
    await this.#oneByOne(() => this.#followRemoval())
    if (!this.#segments.has(segment)) return
    this.#noteDamaged(segment, Math.max(1, segment.records - segment.readRecords))
    await this.#removeSegment(segment)
  }

  async #removeSegment(segment: Segment): Promise<void> {
    if (segment === this.#writer?.segment) await this.#oneByOne(() => this.#seal())
    this.#segments.remove((one) => one === segment)
    if (this.#reader?.segment === segment) {
      await this.#reader.file.close().catch(() => undefined)
      this.#reader = undefined
    }
    // If the file stays, the next process sends its records again, with the same ids.
    await rm(segment.path, { force: true }).catch(() => undefined)
  }
}
