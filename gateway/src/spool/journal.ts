import { rm } from 'node:fs/promises'
import type { FrameSource } from './frame.ts'
import { SegmentWriter } from './segment-writer.ts'

/** A record in the journal until it is kept elsewhere. */
export type JournalEntry = {
  /** Settles the entry: the bus or the spool has the record, or it is counted as lost. A second call does nothing. */
  settle(): void
}

export type JournalOptions = {
  /** Returns the path of the next segment. */
  readonly nextPath: () => string
  readonly onFailure: (error: unknown) => void
}

/** A segment of records that a later process reads if this process is killed. */
type Segment = { readonly writer: SegmentWriter; outstanding: number; isSealed: boolean }
type PendingEntry = { readonly record: FrameSource; readonly written: (entry: JournalEntry | undefined) => void }

const SEGMENT_BYTES = 8 * 1024 * 1024
/**
 * The milliseconds without a new record after which a settled segment is removed: a later start would send its records
 * again.
 */
const IDLE_MS = 1_000

/**
 * Records on disk beside those in memory. Only the next process reads them, and takes the remaining segments as part of
 * its spool. Records that arrive during a write are written together.
 */
export class Journal {
  readonly #options: JournalOptions
  #segment: Segment | undefined
  #waiting: PendingEntry[] = []
  #writing: Promise<void> | undefined
  #idle: NodeJS.Timeout | undefined
  #needsSegment = false

  constructor(options: JournalOptions) {
    this.#options = options
  }

  /** Resolves once the record is written, with undefined where it can't be; never rejects. */
  append(record: FrameSource): Promise<JournalEntry | undefined> {
    return new Promise((resolve) => {
      this.#waiting.push({ record, written: resolve })
      // `#write` never rejects: a failure resolves the waiting entries with undefined.
      this.#writing ??= this.#write()
    })
  }

  /** Starts a new segment at the next record, because the folder was replaced. */
  startSegment(): void {
    this.#needsSegment = true
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle)
    await this.#writing
    await this.#seal()
  }

  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting
      this.#waiting = []
      const segment = await this.#append(batch)
      for (const { written } of batch) written(segment && entryOf(() => this.#countSettled(segment)))
    }
    this.#writing = undefined
  }

  async #append(batch: readonly PendingEntry[]): Promise<Segment | undefined> {
    try {
      if (this.#needsSegment || (this.#segment?.writer.segment.bytes ?? 0) > SEGMENT_BYTES) await this.#seal()
      const segment = this.#segment ?? (await this.#begin())
      await segment.writer.append(batch.map(({ record }) => record))
      segment.outstanding += batch.length
      return segment
    } catch (error) {
      this.#options.onFailure(error)
      return undefined
    }
  }

  async #begin(): Promise<Segment> {
    const writer = await SegmentWriter.create(this.#options.nextPath)
    this.#segment = { writer, outstanding: 0, isSealed: false }
    return this.#segment
  }

  /** Ends the segment; nothing more is written to it. */
  async #seal(): Promise<void> {
    const segment = this.#segment
    this.#needsSegment = false
    if (segment === undefined) return
    this.#segment = undefined
    segment.isSealed = true
    await segment.writer.close().catch(() => undefined)
    if (segment.outstanding === 0) await remove(segment)
  }

  #countSettled(segment: Segment): void {
    segment.outstanding -= 1
    if (segment.outstanding > 0) return
    if (segment.isSealed)
      void remove(segment) // never rejects
    else {
      clearTimeout(this.#idle)
      this.#idle = setTimeout(() => this.#sealIdle(), IDLE_MS)
      this.#idle.unref()
    }
  }

  #sealIdle(): void {
    if (this.#segment?.outstanding !== 0 || this.#writing !== undefined) return
    this.#writing = this.#seal().then(() => {
      this.#writing = undefined
      // `#write` never rejects: a failure resolves the waiting entries with undefined.
      if (this.#waiting.length > 0) this.#writing = this.#write()
    })
  }
}

function entryOf(settled: () => void): JournalEntry {
  let isSettled = false
  return {
    settle: () => {
      if (!isSettled) settled()
      isSettled = true
    },
  }
}

function remove({ writer }: Segment): Promise<void> {
  // If a segment stays, the next process sends its records again, with the same ids.
  return rm(writer.segment.path, { force: true }).catch(() => undefined)
}
