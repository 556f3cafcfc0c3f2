import type { Dirent } from 'node:fs'
import { access, type FileHandle, open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from '@llm-gateway/conf'
import { type FolderLock, lockFolder, makeFolder } from './folder-lock.ts'
import { type FrameSource, frameSourceBytes } from './frame.ts'
import { Journal, type JournalEntry } from './journal.ts'
import { LossCounters } from './loss-counters.ts'
import { indexSegment, readBatch, type StoredRecord } from './segment-file.ts'
import { Segment, SegmentWriter } from './segment-writer.ts'
import { readEntries, type SegmentKind, segmentName } from './spool-entries.ts'

export type SpoolOptions = {
  readonly directory: string
  readonly maxBytes: number
  readonly logger: Pick<Logger, 'info' | 'warn'>
  readonly lost: (count: number, reason: 'damaged' | 'removed') => void
  /** What earlier processes lost. */
  readonly lostBefore: (counts: ReadonlyMap<string, number>) => void
  /** It takes records now, or has some to give. */
  readonly changed: () => void
  readonly nowMs?: () => number
  /** Milliseconds after which a folder that can't be used is tried again. */
  readonly retryMs?: number
}

/** Why a spool takes nothing; the system's own names of errors beside ours. */
export type SpoolCode = string

export type SpoolStatus = {
  readonly spool: 'opening' | 'on' | 'off'
  readonly spool_code?: SpoolCode
  readonly spooled_records: number
  readonly spooled_bytes: number
  /** RFC 3339 */
  readonly oldest_spooled?: string
}

/** Records that were read and that `done` takes out. */
export type SpoolBatch = {
  readonly records: readonly StoredRecord[]
  /** Whose bytes aren't what was written. */
  readonly damaged: number
  readonly segment: Segment
  readonly end: number
}

const SEGMENT_BYTES = 8 * 1024 * 1024
const READ_BYTES = 256 * 1024
const RETRY_MS = 5_000
/** Whether its folder is still there. */
const LOOK_MS = 1_000
/** A disk that was full is tried again. */
const FULL_RETRY_MS = 1_000

/**
 * Records on disk, behind one another in segments of 8 MiB, read in the order they were written. A folder is one process's;
 * one that can't be used is tried again every 5 s, and says why it can't. One that somebody removed is noticed within a second
 * and made again; what went with it is counted as lost. All file work is asynchronous, one write and one
 * read at a time; nothing is synced: what a process wrote outlives it, though not a loss of power.
 */
export class Spool {
  readonly #options: SpoolOptions
  readonly #nowMs: () => number
  #state: 'opening' | 'on' | 'off' = 'opening'
  #code: SpoolCode | undefined
  #lock: FolderLock | undefined
  readonly #losses = new LossCounters()
  #segments: Segment[] = []
  #writer: SegmentWriter | undefined
  #reader: { readonly segment: Segment; readonly file: FileHandle } | undefined
  #nextNumber = 1
  readonly #journal = new Journal({
    nextPath: () => this.#nextPath('journal'),
    failed: (error) => this.#blocked(codeOf(error)),
  })
  #retry: NodeJS.Timeout | undefined
  readonly #look: NodeJS.Timeout
  #blockedUntilMs = 0
  #isCounted = false
  #isClosed = false
  #opening: Promise<void>
  #writing: Promise<unknown> = Promise.resolve()

  constructor(options: SpoolOptions) {
    this.#options = options
    this.#nowMs = options.nowMs ?? (() => performance.now())
    this.#opening = this.#open()
    // Never rejects.
    this.#look = setInterval(() => void this.#inTurn(() => this.#settleIn()), LOOK_MS)
    this.#look.unref()
  }

  /** Settles when the first attempt to open it is over; never rejects. */
  get opened(): Promise<void> {
    return this.#opening
  }

  /** Records can be written now. */
  get takes(): boolean {
    return this.#state === 'on' && this.#nowMs() >= this.#blockedUntilMs && this.bytes < this.#options.maxBytes
  }

  /** The folder can be used; whether there is room in it is another question. */
  get isOpen(): boolean {
    return this.#state === 'on'
  }

  get bytes(): number {
    return this.#segments.reduce((sum, { bytes, readBytes }) => sum + bytes - readBytes, 0)
  }

  get records(): number {
    return this.#segments.reduce((sum, { records, readRecords }) => sum + records - readRecords, 0)
  }

  /** Unix milliseconds of the oldest record, or of one that was beside it. */
  get oldestMs(): number | undefined {
    return this.#segments.find(({ bytes, readBytes }) => bytes > readBytes)?.oldestMs
  }

  get status(): SpoolStatus {
    const { oldestMs } = this
    // Nobody may write for long after a disk was full.
    const code = this.#state === 'on' && this.#nowMs() >= this.#blockedUntilMs + FULL_RETRY_MS ? undefined : this.#code
    return {
      spool: this.#state,
      ...(code === undefined ? {} : { spool_code: code }),
      spooled_records: this.records,
      spooled_bytes: this.bytes,
      ...(oldestMs === undefined ? {} : { oldest_spooled: new Date(oldestMs).toISOString() }),
    }
  }

  /** Counts records that nothing kept, for the next process too. */
  count(count: number, reason: string): void {
    this.#losses.add(count, reason)
  }

  /** Writes all of these, or none and false; never rejects. */
  append(records: readonly FrameSource[]): Promise<boolean> {
    return this.#inTurn(() => this.#append(records))
  }

  /** Writes a record for the next process, should this one be killed; undefined where it can't be. Never rejects. */
  journal(record: FrameSource): Promise<JournalEntry | undefined> {
    return this.takes ? this.#journal.append(record) : Promise.resolve(undefined)
  }

  /** The next records, in order; undefined where there are none. Never rejects; not to be called again before `done`. */
  async read(): Promise<SpoolBatch | undefined> {
    if (this.#state !== 'on') return undefined
    for (;;) {
      const segment = this.#segments[0]
      if (segment === undefined || segment.bytes === segment.readBytes) return undefined
      // What is read isn't written to any more.
      if (segment === this.#writer?.segment) await this.#inTurn(() => this.#seal())
      const batch = await this.#readFrom(segment)
      if (batch !== undefined && batch.records.length > 0) return batch
      if (batch !== undefined) await this.done(batch)
      else await this.#giveUp(segment)
    }
  }

  /** The bus has them. */
  async done({ segment, end, records, damaged }: SpoolBatch): Promise<void> {
    if (damaged > 0) this.#damaged(segment, damaged)
    segment.readBytes = end
    segment.readRecords += records.length + damaged
    segment.oldestMs = records.at(-1)?.madeMs ?? segment.oldestMs
    if (segment.readBytes >= segment.bytes) await this.#remove(segment)
  }

  /** Counts what was written and isn't on disk any more as lost: the process ends, and the next one will not find it. Never rejects. */
  takeStock(): Promise<void> {
    return this.#inTurn(async () => {
      await this.#settleIn()
      const gone: Segment[] = []
      for (const segment of this.#segments) if (await isGone(segment)) gone.push(segment)
      this.#forget(gone)
    })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#retry)
    clearInterval(this.#look)
    await this.#opening
    await this.takeStock()
    this.#state = 'off'
    await this.#inTurn(() => this.#seal())
    await this.#journal.close()
    await this.#reader?.file.close().catch(() => undefined)
    await this.#losses.close()
    this.#lock?.close()
  }

  /** What changes the segment that is written, one after another; what is handed in doesn't reject. */
  #inTurn<Result>(change: () => Promise<Result>): Promise<Result> {
    const changed = this.#writing.then(change)
    this.#writing = changed
    return changed
  }

  async #open(): Promise<void> {
    const { directory, logger, lostBefore, changed } = this.#options
    try {
      await makeFolder(directory)
      const locked = await lockFolder(directory)
      if (locked.kind !== 'locked') return this.#unusable(locked.kind === 'taken' ? 'SPOOL_TAKEN' : locked.code)
      this.#lock = locked.lock
      if (this.#isCounted) this.#losses.move(directory)
      else lostBefore(await this.#losses.open(directory))
      this.#isCounted = true
      await this.#index(await readdir(directory, { withFileTypes: true }))
      if (this.#isClosed) return
      const found = { records: this.records, bytes: this.bytes }
      if (found.records > 0) logger.info({ directory, ...found }, 'records found in the spool')
      else if (this.#code !== undefined) logger.info({ directory }, 'spool can be used')
      this.#state = 'on'
      this.#code = undefined
      changed()
    } catch (error) {
      this.#lock?.close()
      this.#lock = undefined
      this.#unusable(codeOf(error))
    }
  }

  /** Goes on in a new folder where somebody removed the one that was used. Never rejects. */
  async #settleIn(): Promise<void> {
    if (this.#state !== 'on' || this.#lock === undefined || (await this.#lock.stands())) return
    const { directory, logger } = this.#options
    const records = this.records
    this.#state = 'off'
    this.#lock.close()
    this.#lock = undefined
    this.#journal.move()
    await this.#seal()
    // The kernel keeps a file as long as somebody reads it.
    this.#forget(this.#segments.filter((segment) => segment !== this.#reader?.segment))
    logger.warn({ directory, records: records - this.records }, 'spool was removed, with its records')
    if (this.#isClosed) return
    this.#opening = this.#open() // never rejects
    await this.#opening
  }

  #forget(gone: readonly Segment[]): void {
    this.#segments = this.#segments.filter((segment) => !gone.includes(segment))
    const records = gone.reduce((sum, segment) => sum + segment.records - segment.readRecords, 0)
    if (records > 0) this.#options.lost(records, 'removed')
  }

  #unusable(code: SpoolCode): void {
    const { directory, logger, retryMs = RETRY_MS } = this.#options
    const means = 'while the bus is away records wait in memory alone, and end with the process'
    if (this.#code !== code) logger.warn({ directory, code, means }, 'spool cannot be used')
    this.#state = 'off'
    this.#code = code
    if (this.#isClosed) return
    this.#retry = setTimeout(() => {
      this.#opening = this.#open() // never rejects
    }, retryMs)
    this.#retry.unref()
  }

  /** What earlier processes left. */
  async #index(entries: readonly Dirent[]): Promise<void> {
    const { directory, logger } = this.#options
    this.#segments = this.#segments.filter((segment) => segment === this.#reader?.segment)
    const { segments, strange, nextNumber } = readEntries(entries)
    if (strange > 0) logger.warn({ directory, files: strange }, 'spool has files of others')
    this.#nextNumber = Math.max(this.#nextNumber, nextNumber)
    for (const name of segments) {
      const segment = await this.#found(name)
      if (segment !== undefined) this.#segments.push(segment)
    }
  }

  async #found(name: string): Promise<Segment | undefined> {
    const { directory, logger } = this.#options
    const segment = new Segment(join(directory, name))
    const index = await indexSegment(segment.path).catch((error) => ({ kind: codeOf(error) }))
    if (!('records' in index)) {
      logger.warn({ file: name, code: index.kind }, 'spool segment cannot be read, it stays')
      return undefined
    }
    if (index.tornBytes > 0) this.#torn(name, index.tornBytes)
    if (index.records === 0) await rm(segment.path, { force: true }).catch(() => undefined)
    segment.bytes = index.bytes
    segment.records = index.records
    segment.oldestMs = index.oldestMs
    return index.records === 0 ? undefined : segment
  }

  /** A process that was killed left a record half written; how many more were in that write nobody knows. */
  #torn(file: string, bytes: number): void {
    this.#options.logger.warn({ file, bytes }, 'spool segment has a torn end, it is cut off')
    // Whose record is torn in a journal hasn't had its answer.
    if (!file.endsWith('.journal')) this.#options.lost(1, 'damaged')
  }

  async #append(records: readonly FrameSource[]): Promise<boolean> {
    const { maxBytes } = this.#options
    await this.#settleIn()
    if (!this.takes) return false
    const bytes = records.reduce((sum, record) => sum + frameSourceBytes(record), 0)
    if (this.bytes + bytes > maxBytes) {
      this.#blocked('SPOOL_FULL')
      return false
    }
    try {
      const writer = await this.#writerFor(bytes)
      await writer.append(records)
    } catch (error) {
      this.#blocked(codeOf(error))
      return false
    }
    if (this.#code !== undefined) this.#options.logger.info({ directory: this.#options.directory }, 'spool can be used')
    this.#code = undefined
    this.#options.changed()
    return true
  }

  #blocked(code: SpoolCode): void {
    const { directory, logger, maxBytes } = this.#options
    if (this.#code !== code) logger.warn({ directory, code, max_bytes: maxBytes }, 'spool takes no records')
    this.#code = code
    this.#blockedUntilMs = this.#nowMs() + FULL_RETRY_MS
  }

  async #writerFor(bytes: number): Promise<SegmentWriter> {
    const { segment } = this.#writer ?? {}
    if (segment !== undefined && segment.records > 0 && segment.bytes + bytes > SEGMENT_BYTES) await this.#seal()
    if (this.#writer !== undefined) return this.#writer
    this.#writer = await SegmentWriter.create(this.#nextPath('records'))
    this.#segments.push(this.#writer.segment)
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

  #damaged({ path }: Segment, count: number): void {
    this.#options.logger.warn({ file: path, records: count }, 'spool segment is damaged')
    this.#options.lost(count, 'damaged')
  }

  /** The rest of a segment can't be read. */
  async #giveUp(segment: Segment): Promise<void> {
    await this.#inTurn(() => this.#settleIn())
    if (!this.#segments.includes(segment)) return
    this.#damaged(segment, Math.max(1, segment.records - segment.readRecords))
    await this.#remove(segment)
  }

  async #remove(segment: Segment): Promise<void> {
    if (segment === this.#writer?.segment) await this.#inTurn(() => this.#seal())
    this.#segments = this.#segments.filter((one) => one !== segment)
    if (this.#reader?.segment === segment) {
      await this.#reader.file.close().catch(() => undefined)
      this.#reader = undefined
    }
    // One that stays is sent again by the next process, under the same ids.
    await rm(segment.path, { force: true }).catch(() => undefined)
  }
}

function isGone({ path }: Segment): Promise<boolean> {
  return access(path).then(
    () => false,
    (error: unknown) => codeOf(error) === 'ENOENT',
  )
}

function codeOf(error: unknown): SpoolCode {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'SPOOL_FAILED'
}
