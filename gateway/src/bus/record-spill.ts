import { type FrameSource, frameBytes } from '../spool/frame.ts'
import type { Spool } from '../spool/spool.ts'
import type { Admission } from '../spool/spool-room.ts'
import type { QueuedRecord } from './record-fifo.ts'
import type { RecordQueue } from './record-queue.ts'
import type { RecordSender } from './record-sender.ts'

export type RecordSpillOptions = {
  readonly queue: RecordQueue
  readonly sender: RecordSender
  readonly spool: Pick<Spool, 'acceptsRecords' | 'append' | 'noteFull' | 'endPause' | 'opened'> & {
    readonly room: Pick<Spool['room'], 'admission'>
  }
  /** Returns true where calls or records have waited long for room in the queue. */
  readonly isSlow: () => boolean
  readonly onSpilled: () => void
}

/**
 * The bus's silence in milliseconds after which records go to disk. A killed process loses the records of so many
 * milliseconds.
 */
const SILENCE_MS = 200
const CHECK_MS = 100
const BATCH_BYTES = 1024 * 1024
const BATCH_RECORDS = 256

/** Moves records from the queue to disk: all of them while the bus is silent, some while it is slow. */
export class RecordSpill {
  readonly #options: RecordSpillOptions
  readonly #timer: NodeJS.Timeout
  #running: Promise<void> | undefined
  #isLast = false

  constructor(options: RecordSpillOptions) {
    this.#options = options
    this.#timer = setInterval(() => this.check(), CHECK_MS)
    this.#timer.unref()
  }

  /** Starts a move where one is due; called periodically. */
  check(): void {
    // `#spill` never rejects, since the spool's `append` doesn't.
    if (this.#running !== undefined || !this.#options.spool.acceptsRecords || !this.#isDue()) return
    // `finally` runs later even where `#spill` had nothing to wait for, so that it follows the assignment.
    this.#running = this.#spill().finally(() => {
      this.#running = undefined
    })
  }

  /** Moves all records to disk, as far as the spool takes them. */
  async spillAll(): Promise<void> {
    this.#isLast = true
    // A folder of thousands of segments is being opened for seconds.
    if (this.#options.queue.count > 0) await this.#options.spool.opened
    await this.#running
    // A spool that was full may have room now, since its last quarter is free for all.
    this.#options.spool.endPause()
    this.check()
    await this.#running
  }

  close(): void {
    clearInterval(this.#timer)
  }

  #isDue(): boolean {
    const { queue, sender, isSlow } = this.#options
    if (queue.count === 0) return false
    return this.#isLast || sender.silentMs > SILENCE_MS || isSlow()
  }

  async #spill(): Promise<void> {
    const { queue, sender, spool, onSpilled } = this.#options
    while (spool.acceptsRecords && this.#isDue()) {
      const isSilent = this.#isLast || sender.silentMs > SILENCE_MS
      if (isSilent) sender.stall()
      const most = {
        bytes: BATCH_BYTES,
        records: BATCH_RECORDS,
        // Without acknowledgements the next PONG confirms sent records, and a lost connection puts them back.
        sent: isSilent && sender.hasAcknowledgements,
      }
      const take = ({ admits }: Admission): readonly QueuedRecord[] =>
        queue.takeOldest({ ...most, admits: (record) => admits(record.router, bytesOnDisk(record)) })
      let admission = spool.room.admission()
      let batch = take(admission)
      // At the end no other records follow, so that a router may use all of the room that is left.
      const isRest = this.#isLast && batch.length === 0
      if (isRest) {
        admission = spool.room.admission(isRest)
        batch = take(admission)
      }
      if (batch.length === 0) {
        if (admission.isFull()) spool.noteFull()
        break
      }
      if (!(await spool.append(batch.map(sourceOf), isRest))) {
        queue.putBack(batch)
        // The bus may have answered meanwhile, and the spool may take records again: nothing else would send these
        // records.
        sender.startSoon()
        break
      }
      queue.leave(batch)
      for (const { memory } of batch) memory?.release()
      onSpilled()
    }
    // Without a spool only the bus can take the records, and no later answer would start a sender that is stalled.
    if (!spool.acceptsRecords) sender.sendAgain()
  }
}

function bytesOnDisk({ message: { head, length } }: QueuedRecord): number {
  return frameBytes({ jsonBytes: length, idBytes: head.messageId.length })
}

function sourceOf({ message, router, createdMs }: QueuedRecord): FrameSource {
  return { id: message.head.messageId, router, pieces: message.pieces, isIncomplete: false, createdMs }
}
