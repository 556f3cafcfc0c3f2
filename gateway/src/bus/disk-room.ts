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

  /** A text that changes with each change of the spool's room. */
  get version(): string {
    const { state, acceptsRecords, usedBytes, room } = this.#options.spool
    return `${state} ${acceptsRecords} ${usedBytes} ${room.shares.changes}`
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

  /** Returns true where spool and journal take a record of the router now. */
  hasRoom(router: string, bytes: number): boolean {
    const { spool } = this.#options
    return spool.acceptsRecords && spool.room.hasRoom(router, bytes)
  }

  /** Returns true where the spool takes the router's records in memory and `bytes` more, or is being opened. */
  takes(router: string, bytes: number): boolean {
    const { spool, queue } = this.#options
    return spool.state === 'opening' || this.hasRoom(router, queue.shares.bytesOf(router) + bytes)
  }

  /**
   * The bytes in memory that stay there because they are beyond the share of the spool of their routers, other than
   * `router`. Only a router with more than a quarter of the queue or of the spool can have many of them.
   */
  stuckBytes(router: string): number {
    const { spool, queue } = this.#options
    const { shares } = spool.room
    let ofLarge = 0
    for (const large of queue.shares.large) if (large !== router) ofLarge += this.#bytesBeyondShare(large)
    for (const large of shares.large) {
      if (large !== router && !queue.shares.isLarge(large)) ofLarge += this.#bytesBeyondShare(large)
    }
    // Large routers may use the rest of the spool's shared bytes in any order.
    return ofLarge === 0 ? 0 : Math.max(0, ofLarge - Math.max(0, shares.sharedBytes - spool.usedBytes))
  }

  /** The router's bytes in memory; 0 where the spool has room for all of them. */
  #bytesBeyondShare(router: string): number {
    const { spool, queue } = this.#options
    const bytes = queue.shares.bytesOf(router)
    return spool.room.hasRoom(router, bytes) ? 0 : bytes
  }

  #neededBytes(spool: Spool, router: string): number {
    const { queue, queueBytes, maxBytes } = this.#options
    const reserved = Math.min(queueBytes, maxBytes * MAX_RESERVED_SHARE)
    // Bytes that stay in memory must not stop the calls of this router.
    return spool.usedBytes + queue.bytes - this.stuckBytes(router) + reserved
  }
}
