import { LARGE_RECORD_BYTES } from './record-fifo.ts'
import type { RecordQueue } from './record-queue.ts'
import type { RoomRequest } from './record-room.ts'

/** The share of the queue that large records, and calls with a large body, leave to small records. */
const SMALL_RECORDS_SHARE = 1 / 8
/** A call begins while this share of its part of the queue is free, because running calls will leave records too. */
const FREE_SHARE_FOR_LARGE_CALL = 1 / 8
const FREE_SHARE_FOR_SMALL_CALL = 1 / 16

/** Returns the room that a record of `bytes` needs. */
export function roomForRecord(router: string, bytes: number): RoomRequest {
  return { router, bytes, isLarge: bytes > LARGE_RECORD_BYTES }
}

type Used = Pick<RecordQueue, 'bytes' | 'largeBytes' | 'shares'>

/** The bytes of the record queue, of which parts are reserved for small records and for other routers. */
export class QueueCapacity {
  readonly #bytes: number
  readonly #goesToDisk: (router: string, bytes: number) => boolean

  /** `goesToDisk` returns false where the spool has no share left for a router's records and `bytes` more. */
  constructor(bytes: number, goesToDisk: (router: string, bytes: number) => boolean) {
    this.#bytes = bytes
    this.#goesToDisk = goesToDisk
  }

  /** Returns the room that must be free for a call to begin. */
  roomForCall(router: string, bodyBytes: number): RoomRequest {
    const isLarge = bodyBytes > LARGE_RECORD_BYTES
    return { router, bytes: this.#bytes * (isLarge ? FREE_SHARE_FOR_LARGE_CALL : FREE_SHARE_FOR_SMALL_CALL), isLarge }
  }

  /**
   * Returns false where the room that is left is kept for other routers, because the router's records stay in memory.
   * A router without a record in the queue may use all of it: otherwise a very large record would wait forever.
   */
  hasShare({ router, bytes }: RoomRequest, used: Used): boolean {
    const { shares } = used
    if (shares.bytesOf(router) === 0 || shares.isSmall(router, bytes) || this.#goesToDisk(router, bytes)) return true
    return used.bytes + bytes <= shares.sharedBytes
  }

  /**
   * Returns true where the room is free. A large record must leave the small records' share free only while more than
   * that share is in use; otherwise a very large record would wait forever. Small records have their share beside a
   * very large record too: then the queue holds up to an eighth more than its bytes.
   */
  hasRoom({ router, bytes, isLarge }: RoomRequest, used: Used): boolean {
    const share = this.#bytes * SMALL_RECORDS_SHARE
    const usedBytes = used.bytes - this.#excessBytes(used, router)
    const free = this.#bytes - usedBytes
    if (isLarge) return bytes <= free - (usedBytes > share ? share : 0)
    return bytes <= Math.max(free, share - (used.bytes - used.largeBytes))
  }

  /**
   * The bytes beyond their share of other large routers whose records stay in memory: they were taken before, or
   * belong to calls that began. They must not stop the other routers, and limits.buffered_bytes counts them.
   */
  #excessBytes({ shares }: Used, router: string): number {
    let ofLarge = 0
    for (const large of shares.large) {
      if (large !== router && !this.#goesToDisk(large, 0)) ofLarge += shares.bytesOf(large)
    }
    return Math.max(0, ofLarge - shares.sharedBytes)
  }
}
