import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '@llm-gateway/conf'
import type { FrameSource } from '../spool/frame.ts'
import type { JournalEntry } from '../spool/journal.ts'
import type { Spool } from '../spool/spool.ts'
import type { DiskRoom } from './disk-room.ts'

export type RecordJournalOptions = {
  readonly spool: Pick<Spool, 'journal'>
  readonly disk: Pick<DiskRoom, 'hasRoom'>
  /** The longest wait of a call, in milliseconds. */
  readonly waitMs: number
  readonly logger: Pick<Logger, 'warn'>
  /** Called when a call waits. */
  readonly onWait: () => void
  readonly nowMs: () => number
}

const CHECK_MS = 50
/** The milliseconds between two warnings about records that the journal did not take. */
const WARNING_MS = 60_000

/** Writes records to the journal before their callers have the whole answers, and counts those that it does not take. */
export class RecordJournal {
  readonly #options: RecordJournalOptions
  #missed = 0
  #unlogged = 0
  /** The time of the last warning. */
  #warnedMs = Number.NEGATIVE_INFINITY

  constructor(options: RecordJournalOptions) {
    this.#options = options
  }

  /** The records that the journal did not take. */
  get missed(): number {
    return this.#missed
  }

  /**
   * Waits for room for the bytes that are known of a call's record; returns undefined where there is room. Resolves with
   * false where no room came in time. The record may still find no room, since its other bytes come later.
   */
  waitForRoom(router: string, bodyBytes: number, maxRecordBytes: number): Promise<boolean> | undefined {
    // A larger body is cut out of the record.
    const bytes = bodyBytes > maxRecordBytes ? 0 : bodyBytes
    return this.#options.disk.hasRoom(router, bytes) ? undefined : this.#wait(router, bytes)
  }

  /** Resolves with undefined where the record can't be written; never rejects. */
  async append(record: FrameSource): Promise<JournalEntry | undefined> {
    const entry = await this.#options.spool.journal(record)
    if (entry === undefined) this.#noteMissed(record.router)
    return entry
  }

  async #wait(router: string, bytes: number): Promise<boolean> {
    const { disk, waitMs, onWait, nowMs } = this.#options
    onWait()
    const endMs = nowMs() + waitMs
    while (!disk.hasRoom(router, bytes) && nowMs() < endMs) await sleep(CHECK_MS)
    return disk.hasRoom(router, bytes)
  }

  #noteMissed(router: string): void {
    const { logger, nowMs } = this.#options
    this.#missed += 1
    this.#unlogged += 1
    const now = nowMs()
    if (now - this.#warnedMs < WARNING_MS) return
    this.#warnedMs = now
    logger.warn({ router, records: this.#unlogged, total: this.#missed }, 'records are not in the journal')
    this.#unlogged = 0
  }
}
