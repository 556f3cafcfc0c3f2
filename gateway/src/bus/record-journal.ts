import type { Logger } from '@llm-gateway/conf'
import type { FrameSource } from '../spool/frame.ts'
import type { JournalEntry } from '../spool/journal.ts'
import type { Spool } from '../spool/spool.ts'
import type { DiskRoom } from './disk-room.ts'
import type { RecordRoom } from './record-room.ts'

export type RecordJournalOptions = {
  readonly spool: Pick<Spool, 'journal'>
  readonly disk: Pick<DiskRoom, 'hasRoom'>
  /** Lets a few calls go on in each turn. */
  readonly room: Pick<RecordRoom, 'beginCall'>
  /** Returns the size of the largest record; a larger body is cut out of it. */
  readonly maxRecordBytes: () => number
  readonly logger: Pick<Logger, 'warn'>
  readonly nowMs: () => number
}

/** A call that waits for room in the journal. */
type Waiter = {
  readonly router: string
  readonly bodyBytes: number
  /** The bytes of the body in the record; 0 where the record is made without the body. */
  readonly bytes: number
  readonly endMs: number
  readonly settle: (hasRoom: boolean) => void
}

const CHECK_MS = 50
/** The milliseconds between two warnings about records that the journal did not take. */
const WARNING_MS = 60_000

/** Writes records to the journal before their callers have the whole answers, and counts those that it does not take. */
export class RecordJournal {
  readonly #options: RecordJournalOptions
  #waiting: Waiter[] = []
  #timer: NodeJS.Timeout | undefined
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
  waitForRoom(router: string, bodyBytes: number, timeoutMs: number): Promise<boolean> | undefined {
    const { disk, maxRecordBytes, nowMs } = this.#options
    const bytes = bodyBytes > maxRecordBytes() ? 0 : bodyBytes
    if (disk.hasRoom(router, bytes)) return undefined
    return new Promise((settle) => this.#wait({ router, bodyBytes, bytes, endMs: nowMs() + timeoutMs, settle }))
  }

  /** Resolves with undefined where the record can't be written; never rejects. */
  async append(record: FrameSource): Promise<JournalEntry | undefined> {
    const entry = await this.#options.spool.journal(record)
    if (entry === undefined) this.#noteMissed(record.router)
    return entry
  }

  #wait(waiter: Waiter): void {
    this.#waiting.push(waiter)
    this.#timer ??= setTimeout(() => this.#check(), CHECK_MS)
  }

  /** Gives a turn to each call that has room or no more time: thousands may find room, or be refused, at one moment. */
  #check(): void {
    const { room } = this.#options
    const waiting = this.#waiting
    this.#waiting = []
    this.#timer = undefined
    for (const waiter of waiting) {
      const { router, bodyBytes } = waiter
      if (this.#hasRoom(waiter) || this.#isOver(waiter)) room.beginCall(router, bodyBytes, () => this.#end(waiter))
      else this.#wait(waiter)
    }
  }

  /** Ends the wait of a call whose turn has come; the calls before it may have taken the room. */
  #end(waiter: Waiter): void {
    const hasRoom = this.#hasRoom(waiter)
    if (hasRoom || this.#isOver(waiter)) waiter.settle(hasRoom)
    else this.#wait(waiter)
  }

  #hasRoom({ router, bytes }: Waiter): boolean {
    return this.#options.disk.hasRoom(router, bytes)
  }

  #isOver({ endMs }: Waiter): boolean {
    return this.#options.nowMs() >= endMs
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
