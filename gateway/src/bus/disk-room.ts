import type { Spool } from '../spool/spool.ts'
import type { RecordQueue } from './record-queue.ts'

export type DiskRoomOptions = {
  readonly spool: Spool
  readonly queue: RecordQueue
  /** The most bytes of the spool. */
  readonly maxBytes: number
  /** The most bytes of the queue. */
  readonly queueBytes: number
}

/** The largest share of a small spool that is kept free for running calls: a part of the quarter that is left to others. */
const MAX_RESERVED_SHARE = 1 / 16

/** The room of the spool for the records in memory and those of running calls, if the gateway ended now. */
export class DiskRoom {
  readonly #options: DiskRoomOptions

  constructor(options: DiskRoomOptions) {
    this.#options = options
  }

  /** Returns true where there is room for a call of the router; a spool that isn't open refuses no call. */
  fits(router: string): boolean {
    const { spool, maxBytes } = this.#options
    return spool.state !== 'on' || this.#neededBytes(spool, router) <= maxBytes
  }

  /** Returns false where the room that is left is kept for other routers. */
  hasShare(router: string): boolean {
    const { spool, queue } = this.#options
    if (spool.state !== 'on') return true
    const { shares } = spool.room
    return (
      shares.isSmall(router, queue.shares.bytesOf(router)) || this.#neededBytes(spool, router) <= shares.sharedBytes
    )
  }

  /** Returns true where the spool could take the router's records in memory and `bytes` more, or isn't open. */
  takes(router: string, bytes: number): boolean {
    const { spool, queue } = this.#options
    return spool.state !== 'on' || spool.room.hasShare(router, queue.shares.bytesOf(router) + bytes)
  }

  #neededBytes(spool: Spool, router: string): number {
    const { queueBytes, maxBytes } = this.#options
    const reserved = Math.min(queueBytes, maxBytes * MAX_RESERVED_SHARE)
    return spool.usedBytes + this.#queuedBytes(spool, router) + reserved
  }

  /**
   * The bytes in memory that would go to disk. Those of large routers go there only as far as their share; the rest
   * stays in memory and must not stop the calls of this router.
   */
  #queuedBytes({ room: { shares }, usedBytes }: Spool, router: string): number {
    const { queue } = this.#options
    let ofLarge = 0
    for (const large of shares.large) if (large !== router) ofLarge += queue.shares.bytesOf(large)
    return queue.bytes - Math.max(0, ofLarge - Math.max(0, shares.sharedBytes - usedBytes))
  }
}
