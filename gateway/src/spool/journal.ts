import { rm } from 'node:fs/promises'
import type { FrameSource } from './frame.ts'
import { SegmentWriter } from './segment-writer.ts'

/** A record that is on disk until somebody else keeps it. */
export type JournalEntry = {
  /** The bus has the record, the spool has it, or it is counted as lost; twice is once. */
  settle(): void
}

export type JournalOptions = {
  /** Where the next segment goes. */
  readonly nextPath: () => string
  readonly failed: (error: unknown) => void
}

/** A segment of records that were written for the case that this process is killed. */
type Segment = { readonly writer: SegmentWriter; outstanding: number; isSealed: boolean }
type PendingEntry = { readonly record: FrameSource; readonly written: (entry: JournalEntry | undefined) => void }

const SEGMENT_BYTES = 8 * 1024 * 1024
/** What is settled is removed after so long without another record: a later start would send it again. */
const IDLE_MS = 1_000

/**
 * Records on disk beside those in memory: nobody reads them but the next process, which takes the segments that are left as
 * part of its spool. Records that come while others are written go in one write.
 */
export class Journal {
  readonly #options: JournalOptions
  #segment: Segment | undefined
  #waiting: PendingEntry[] = []
  #writing: Promise<void> | undefined
  #idle: NodeJS.Timeout | undefined
  #isMoving = false

  constructor(options: JournalOptions) {
    this.#options = options
  }

  /** Resolves when the record is written, or with undefined where it can't be; never rejects. */
  append(record: FrameSource): Promise<JournalEntry | undefined> {
    return new Promise((resolve) => {
      this.#waiting.push({ record, written: resolve })
      // Never rejects: what fails is told to those who wait.
      this.#writing ??= this.#write()
    })
  }

  /** Its folder is another one: what comes next is written into a new segment. */
  move(): void {
    this.#isMoving = true
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
      for (const { written } of batch) written(segment && entryOf(() => this.#settled(segment)))
    }
    this.#writing = undefined
  }

  async #append(batch: readonly PendingEntry[]): Promise<Segment | undefined> {
    try {
      if (this.#isMoving || (this.#segment?.writer.segment.bytes ?? 0) > SEGMENT_BYTES) await this.#seal()
      const segment = this.#segment ?? (await this.#begin())
      await segment.writer.append(batch.map(({ record }) => record))
      segment.outstanding += batch.length
      return segment
    } catch (error) {
      this.#options.failed(error)
      return undefined
    }
  }

  async #begin(): Promise<Segment> {
    const writer = await SegmentWriter.create(this.#options.nextPath())
    this.#segment = { writer, outstanding: 0, isSealed: false }
    return this.#segment
  }

  /** Nothing more is written into it. */
  async #seal(): Promise<void> {
    const segment = this.#segment
    this.#isMoving = false
    if (segment === undefined) return
    this.#segment = undefined
    segment.isSealed = true
    await segment.writer.close().catch(() => undefined)
    if (segment.outstanding === 0) await remove(segment)
  }

  #settled(segment: Segment): void {
    segment.outstanding -= 1
    if (segment.outstanding > 0) return
    if (segment.isSealed)
      void remove(segment) // never rejects
    else {
      clearTimeout(this.#idle)
      this.#idle = setTimeout(() => this.#rest(), IDLE_MS)
      this.#idle.unref()
    }
  }

  #rest(): void {
    if (this.#segment?.outstanding !== 0 || this.#writing !== undefined) return
    this.#writing = this.#seal().then(() => {
      this.#writing = undefined
      // Never rejects: what fails is told to those who wait.
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
  // One that stays is sent again by the next process, under the same ids.
  return rm(writer.segment.path, { force: true }).catch(() => undefined)
}
