import type { DiskRoom } from './disk-room.ts'
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
  readonly #disk: () => Pick<DiskRoom, 'version' | 'takes' | 'stuckBytes'> | undefined

  /** `disk` returns undefined where there is no spool. */
  constructor(bytes: number, disk: () => Pick<DiskRoom, 'version' | 'takes' | 'stuckBytes'> | undefined) {
    this.#bytes = bytes
    this.#disk = disk
  }

  /** Returns a text that changes with each change of the room. */
  version({ shares }: Used): string {
    return `${shares.changes} ${this.#disk()?.version}`
  }

  /** Returns the room that must be free for a call to begin. */
  roomForCall(router: string, bodyBytes: number): RoomRequest {
    const isLarge = bodyBytes > LARGE_RECORD_BYTES
    return { router, bytes: this.#bytes * (isLarge ? FREE_SHARE_FOR_LARGE_CALL : FREE_SHARE_FOR_SMALL_CALL), isLarge }
  }

  /**
   * Returns false where the room that is left is kept for other routers, because the router's records stay in memory.
   * A router without a record in the queue may use all of it: otherwise a very large record would wait forever. So may a
   * router while no other has a record there, but it waits for room without a turn. A request that waits for stuck bytes
   * to leave has no turn either: they may stay until the bus returns, and records that go to disk have room beside them.
   */
  hasShare(request: RoomRequest, used: Used): boolean {
    return this.#leavesRest(request, used) && !this.#waitsForStuckBytes(request, used)
  }

  #leavesRest(request: RoomRequest, used: Used): boolean {
    const { router, bytes } = request
    const { shares } = used
    const ownBytes = shares.bytesOf(router)
    if (ownBytes === 0 || shares.isSmall(router, bytes) || used.bytes + bytes <= shares.sharedBytes) return true
    return this.#goesToDisk(router, bytes) || (ownBytes === used.bytes && this.#fits(request, used, used.bytes))
  }

  /** Without the stuck bytes the request would have room. A request that goes to disk has room beside them already. */
  #waitsForStuckBytes(request: RoomRequest, used: Used): boolean {
    const stuck = this.#disk()?.stuckBytes(request.router) ?? 0
    return stuck > 0 && this.#fits(request, used, used.bytes - stuck) && !this.hasRoom(request, used)
  }

  /**
   * Returns true where the room is free. A large record must leave the small records' share free only while more than
   * that share is in use; otherwise a very large record would wait forever. Small records have their share beside a
   * very large record too: then the queue holds up to an eighth more than its bytes.
   */
  hasRoom(request: RoomRequest, used: Used): boolean {
    return (
      this.#fits(request, used, used.bytes) || this.#fits(request, used, used.bytes - this.#bytesBeside(request, used))
    )
  }

  #fits({ bytes, isLarge }: RoomRequest, used: Used, usedBytes: number): boolean {
    const share = this.#bytes * SMALL_RECORDS_SHARE
    const free = this.#bytes - usedBytes
    if (isLarge) return bytes <= free - (usedBytes > share ? share : 0)
    return bytes <= Math.max(free, share - (used.bytes - used.largeBytes))
  }

  /**
   * The bytes of other large routers that must not stop this one; limits.buffered_bytes counts them. A record that goes
   * to disk waits for no record that stays in memory. Beside any record there may be bytes beyond the share of large
   * routers: they belong to calls that began, or were taken while the spool had room for them.
   */
  #bytesBeside({ router, bytes }: RoomRequest, { shares }: Used): number {
    let ofLarge = 0
    for (const large of shares.large) if (large !== router) ofLarge += shares.bytesOf(large)
    const stuck = this.#goesToDisk(router, bytes) ? this.#disk()?.stuckBytes(router) : undefined
    return Math.max(0, ofLarge - shares.sharedBytes, stuck ?? 0)
  }

  #goesToDisk(router: string, bytes: number): boolean {
    return this.#disk()?.takes(router, bytes) === true
  }
}
