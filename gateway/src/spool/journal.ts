import { type FileHandle, open, rm } from 'node:fs/promises'
import { type FrameSource, frameSourceBytes } from './frame.ts'
import type { RouterShares } from './router-shares.ts'
import { SegmentWriter } from './segment-writer.ts'

/** A record in the journal until it is kept elsewhere. */
export type JournalEntry = {
  /** True where the next process finds the record, unless the entry is settled before. */
  isKept(): boolean
  /** Settles the entry: the bus or the spool has the record, or it is counted as lost. A second call does nothing. */
  settle(): void
}

export type JournalOptions = {
  /** The most bytes of the whole spool; a segment has an eighth of them at most. */
  readonly maxBytes: number
  /** Returns the path of the next segment. */
  readonly nextPath: () => string
  readonly onFailure: (error: unknown) => void
  /** Counts unsettled records by router, from the wait for their writing on. */
  readonly shares: RouterShares
}

/** A segment of records that a later process reads if this process is killed. */
type Segment = {
  readonly writer: SegmentWriter
  readonly open: Set<OpenEntry>
  openBytes: number
  isSealed: boolean
  /** True where the folder was removed together with the segment. */
  isGone: boolean
}
/** The place of an unsettled record. */
type OpenEntry = { segment: Segment; position: number; readonly bytes: number; readonly router: string }
type PendingEntry = {
  readonly record: FrameSource
  readonly bytes: number
  readonly written: (entry: JournalEntry | undefined) => void
}

const SEGMENT_BYTES = 8 * 1024 * 1024
const MAX_SEGMENT_SHARE = 1 / 8
/** The most records of one write: their calls go on in one turn. */
const BATCH_RECORDS = 256
/**
 * The most bytes of one write, whose checksums take some 8 ms of a turn. One write is on its way at a time, so that a disk
 * that is slow to answer takes only so many bytes for each answer.
 */
const BATCH_BYTES = 4 * 1024 * 1024
/** The bytes of one write where the segments of a small spool are smaller. */
const SMALL_BATCH_BYTES = 1024 * 1024
/**
 * The milliseconds without a new record after which the journal is tidied: a later start would send the records of a
 * settled segment again. Without a pause each of some lone calls would make a file and remove it.
 */
const IDLE_MS = 1_000

/**
 * Records on disk beside those in memory. Only the next process reads them, and takes the remaining segments as part of
 * its spool. Records that arrive during a write are written together, a few hundred at once. One unsettled record would
 * keep its whole segment: while the full segments take more than twice the bytes of their unsettled records and one
 * segment more, those records are written anew, with the next record or once none has come for a second.
 */
export class Journal {
  readonly #options: JournalOptions
  readonly #segmentBytes: number
  readonly #batchBytes: number
  #segment: Segment | undefined
  /** Full segments with unsettled records. */
  readonly #sealed = new Set<Segment>()
  #sealedBytes = 0
  #sealedOpenBytes = 0
  #waitingBytes = 0
  readonly #waiting: PendingEntry[] = []
  #writing: Promise<void> | undefined
  #removed: Promise<void> = Promise.resolve()
  /** The `performance.now()` of the last record. */
  #writtenMs = 0
  #idle: NodeJS.Timeout | undefined
  #needsSegment = false
  /** True from a record that couldn't be written anew until the disk takes a new record. */
  #isStuck = false
  #isClosed = false

  constructor(options: JournalOptions) {
    this.#options = options
    this.#segmentBytes = Math.min(SEGMENT_BYTES, options.maxBytes * MAX_SEGMENT_SHARE)
    this.#batchBytes = Math.min(BATCH_BYTES, Math.max(SMALL_BATCH_BYTES, this.#segmentBytes))
  }

  /** The bytes of all segments. */
  get bytes(): number {
    return this.#sealedBytes + (this.#segment?.writer.segment.bytes ?? 0)
  }

  /** The bytes of records that aren't written yet. */
  get waitingBytes(): number {
    return this.#waitingBytes
  }

  /** Resolves once the record is written, with undefined where it can't be written; never rejects. */
  append(record: FrameSource): Promise<JournalEntry | undefined> {
    const bytes = frameSourceBytes(record)
    // Counted now, since the next records ask for their shares before this one is written.
    this.#options.shares.count(record.router, bytes)
    this.#waitingBytes += bytes
    return new Promise((resolve) => {
      this.#waiting.push({ record, bytes, written: resolve })
      // `#write` never rejects: a failure resolves the waiting entries with undefined.
      this.#writing ??= this.#write()
    })
  }

  /** Starts a new segment at the next record, because the folder was replaced. */
  startSegment(): void {
    this.#needsSegment = true
    if (this.#segment !== undefined) this.#segment.isGone = true
    for (const segment of this.#sealed) {
      segment.isGone = true
      this.#forget(segment)
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#idle)
    await this.#writing
    await this.#seal()
    await this.#removed
  }

  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, batchSize(this.#waiting, this.#batchBytes))
      const entries = await this.#append(batch)
      this.#writtenMs = performance.now()
      this.#waitingBytes -= batch.reduce((sum, { bytes }) => sum + bytes, 0)
      for (const [index, { written }] of batch.entries()) written(this.#entryOf(entries?.[index]))
      if (this.#isFull) await this.#seal()
      await this.#moveOpen()
    }
    this.#writing = undefined
    this.#tidyLater()
  }

  async #append(batch: readonly PendingEntry[]): Promise<readonly OpenEntry[] | undefined> {
    try {
      const segment = await this.#currentSegment()
      let position = segment.writer.segment.bytes
      await segment.writer.append(batch.map(({ record }) => record))
      this.#isStuck = false
      return batch.map(({ record: { router }, bytes }) => {
        const entry = { segment, position, bytes, router }
        position += bytes
        add(entry)
        return entry
      })
    } catch (error) {
      for (const { record, bytes } of batch) this.#options.shares.count(record.router, -bytes)
      this.#options.onFailure(error)
      return undefined
    }
  }

  async #currentSegment(): Promise<Segment> {
    if (this.#needsSegment || this.#isFull) await this.#seal()
    return this.#segment ?? (await this.#begin())
  }

  get #isFull(): boolean {
    return (this.#segment?.writer.segment.bytes ?? 0) > this.#segmentBytes
  }

  /** True where unsettled records can be written anew, and full segments take much more bytes than theirs. */
  get #isLoose(): boolean {
    return !this.#isStuck && this.#sealedBytes > 2 * this.#sealedOpenBytes + this.#segmentBytes
  }

  async #begin(): Promise<Segment> {
    const writer = await SegmentWriter.create(this.#options.nextPath)
    this.#segment = { writer, open: new Set(), openBytes: 0, isSealed: false, isGone: false }
    return this.#segment
  }

  /** Ends the segment; nothing more is written to it. */
  async #seal(): Promise<void> {
    const segment = this.#segment
    const isReplaced = this.#needsSegment
    this.#needsSegment = false
    if (segment === undefined) return
    this.#segment = undefined
    segment.isSealed = true
    // The bytes count all the time, also while the file is being closed.
    if (!isReplaced) {
      this.#sealed.add(segment)
      this.#sealedBytes += segment.writer.segment.bytes
      this.#sealedOpenBytes += segment.openBytes
    }
    await segment.writer.close().catch(() => undefined)
    if (segment.open.size > 0) return
    this.#forget(segment)
    await remove(segment)
  }

  #forget(segment: Segment): void {
    if (!this.#sealed.delete(segment)) return
    this.#sealedBytes -= segment.writer.segment.bytes
    this.#sealedOpenBytes -= segment.openBytes
  }

  /** Writes unsettled records anew, from the segments with the smallest share of them, and removes these segments. */
  async #moveOpen(): Promise<void> {
    while (this.#isLoose) {
      const shareOf = ({ openBytes, writer }: Segment): number => openBytes / writer.segment.bytes
      const [segment] = [...this.#sealed].sort((one, other) => shareOf(one) - shareOf(other))
      if (segment === undefined) return
      await this.#move(segment)
    }
  }

  /** Writes the unsettled records of a segment anew; the segment stays where the disk takes no more. */
  async #move(segment: Segment): Promise<void> {
    const file = await open(segment.writer.segment.path, 'r').catch(() => undefined)
    try {
      for (const entry of [...segment.open]) {
        const frame = file && (await readFrame(file, entry))
        // Nothing is left to move where somebody removed the file.
        if (frame === undefined) break
        await this.#moveEntry(entry, frame)
      }
    } catch (error) {
      this.#isStuck = true
      this.#options.onFailure(error)
      return
    } finally {
      await file?.close().catch(() => undefined)
    }
    this.#forget(segment)
    if (segment.open.size === 0) await remove(segment)
  }

  async #moveEntry(entry: OpenEntry, frame: Buffer): Promise<void> {
    const target = await this.#currentSegment()
    const position = target.writer.segment.bytes
    await target.writer.appendFrame(frame)
    // The record may have been settled meanwhile.
    if (!entry.segment.open.has(entry)) return
    this.#subtract(entry)
    entry.segment = target
    entry.position = position
    add(entry)
  }

  #entryOf(entry: OpenEntry | undefined): JournalEntry | undefined {
    return (
      entry && {
        isKept: () => !entry.segment.isGone && entry.segment.open.has(entry),
        settle: () => {
          if (entry.segment.open.has(entry)) this.#settle(entry)
        },
      }
    )
  }

  #subtract(entry: OpenEntry): void {
    const { segment, bytes } = entry
    segment.open.delete(entry)
    segment.openBytes -= bytes
    if (this.#sealed.has(segment)) this.#sealedOpenBytes -= bytes
  }

  #settle(entry: OpenEntry): void {
    const { segment, router, bytes } = entry
    this.#subtract(entry)
    this.#options.shares.count(router, -bytes)
    if (segment.open.size === 0 && segment.isSealed) {
      this.#forget(segment)
      this.#removed = this.#removed.then(() => remove(segment)) // never rejects
    } else this.#tidyLater()
  }

  get #isUntidy(): boolean {
    return this.#segment?.open.size === 0 || this.#isLoose
  }

  #tidyLater(): void {
    if (this.#isClosed || this.#idle !== undefined || !this.#isUntidy) return
    this.#idle = setTimeout(() => this.#tidy(), IDLE_MS)
    this.#idle.unref()
  }

  /** Removes a settled segment, and writes unsettled records of the full segments anew. */
  #tidy(): void {
    this.#idle = undefined
    // The end of a running write looks again.
    if (this.#writing !== undefined || !this.#isUntidy) return
    if (performance.now() - this.#writtenMs < IDLE_MS) this.#tidyLater()
    else this.#writing = this.#tidyUp() // never rejects
  }

  async #tidyUp(): Promise<void> {
    if (this.#segment?.open.size === 0) await this.#seal()
    await this.#moveOpen()
    // Records may have come meanwhile.
    await this.#write()
  }
}

/** Returns the number of records of the next write, at least one. */
function batchSize(waiting: readonly PendingEntry[], mostBytes: number): number {
  let [records, bytes] = [0, 0]
  for (const entry of waiting) {
    bytes += entry.bytes
    if (records > 0 && (records === BATCH_RECORDS || bytes > mostBytes)) break
    records += 1
  }
  return records
}

/** Resolves with undefined where the frame can't be read. */
async function readFrame(file: FileHandle, { bytes, position }: OpenEntry): Promise<Buffer | undefined> {
  const frame = Buffer.allocUnsafeSlow(bytes)
  const { bytesRead } = await file.read(frame, 0, bytes, position).catch(() => ({ bytesRead: 0 }))
  return bytesRead === bytes ? frame : undefined
}

function add(entry: OpenEntry): void {
  entry.segment.open.add(entry)
  entry.segment.openBytes += entry.bytes
}

function remove({ writer }: Segment): Promise<void> {
  // If a segment stays, the next process sends its records again, with the same ids.
  return rm(writer.segment.path, { force: true }).catch(() => undefined)
}
