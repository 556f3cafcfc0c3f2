import type { FrameSource } from '../spool/frame.ts'
import type { Spool } from '../spool/spool.ts'
import type { QueuedRecord } from './record-line.ts'
import type { RecordOutlet } from './record-outlet.ts'
import type { RecordQueue } from './record-queue.ts'

export type RecordSpillOptions = {
  readonly queue: RecordQueue
  readonly outlet: RecordOutlet
  readonly spool: Spool
  /** Returns true where calls or records have waited long for room in the queue. */
  readonly isSlow: () => boolean
  readonly left: () => void
}

/**
 * The silence in milliseconds after which records go to disk, since the bus may be away for longer; a kill loses the
 * records of this time.
 */
const SILENCE_MS = 200
const LOOK_MS = 100
const BATCH_BYTES = 1024 * 1024
const BATCH_RECORDS = 256

/** Moves records from the queue to disk: all of them while the bus is silent, some while it is slow. */
export class RecordSpill {
  readonly #options: RecordSpillOptions
  readonly #look: NodeJS.Timeout
  #running: Promise<void> | undefined
  #isLast = false

  constructor(options: RecordSpillOptions) {
    this.#options = options
    this.#look = setInterval(() => this.look(), LOOK_MS)
    this.#look.unref()
  }

  /** Starts a move where one is due; called periodically. */
  look(): void {
    // `#spill` never rejects, since the spool's `append` doesn't.
    if (this.#running === undefined && this.#options.spool.takes && this.#isDue()) this.#running = this.#spill()
  }

  /** Moves all records to disk, as far as the spool takes them. */
  async rest(): Promise<void> {
    this.#isLast = true
    await this.#options.spool.opened
    await this.#running
    this.look()
    await this.#running
  }

  close(): void {
    clearInterval(this.#look)
  }

  #isDue(): boolean {
    const { queue, outlet, isSlow } = this.#options
    if (queue.count === 0) return false
    return this.#isLast || outlet.silentMs > SILENCE_MS || isSlow()
  }

  async #spill(): Promise<void> {
    const { queue, outlet, spool, left } = this.#options
    while (spool.takes && this.#isDue()) {
      const isSilent = this.#isLast || outlet.silentMs > SILENCE_MS
      if (isSilent) outlet.stall()
      const batch = queue.takeOldest({
        bytes: BATCH_BYTES,
        records: BATCH_RECORDS,
        sent: isSilent && outlet.isAnswered,
      })
      if (batch.length === 0) break
      if (!(await spool.append(batch.map(sourceOf)))) {
        queue.putBack(batch)
        break
      }
      queue.leave(batch)
      for (const { memory } of batch) memory?.letGo()
      left()
    }
    this.#running = undefined
  }
}

function sourceOf({ message, madeMs }: QueuedRecord): FrameSource {
  return { id: message.head.messageId, pieces: message.pieces, isIncomplete: false, madeMs }
}
