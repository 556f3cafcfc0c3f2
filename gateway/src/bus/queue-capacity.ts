import type { RoomRequest } from './record-room.ts'

/** Larger records, and calls with a larger body, leave a part of the queue to small records. */
const LARGE_BYTES = 1024 * 1024
const SMALL_RECORDS_SHARE = 1 / 8
/** A call begins while this share of its part of the queue is free, because running calls will leave records too. */
const FREE_SHARE_FOR_LARGE_CALL = 1 / 8
const FREE_SHARE_FOR_SMALL_CALL = 1 / 16

/** Returns the room that a record of `bytes` needs. */
export function roomForRecord(bytes: number): RoomRequest {
  return { bytes, isLarge: bytes > LARGE_BYTES }
}

/** The bytes of the record queue, of which a part is reserved for small records. */
export class QueueCapacity {
  readonly #bytes: number
  readonly #largeCall: RoomRequest
  readonly #smallCall: RoomRequest

  constructor(bytes: number) {
    this.#bytes = bytes
    this.#largeCall = { bytes: bytes * FREE_SHARE_FOR_LARGE_CALL, isLarge: true }
    this.#smallCall = { bytes: bytes * FREE_SHARE_FOR_SMALL_CALL, isLarge: false }
  }

  /** Returns the room that must be free for a call to begin. */
  roomForCall(bodyBytes: number): RoomRequest {
    return bodyBytes > LARGE_BYTES ? this.#largeCall : this.#smallCall
  }

  /**
   * Returns true where the room is free. A large record must leave the small records' share free only while more than
   * that share is in use; otherwise a very large record would wait forever.
   */
  hasRoom({ bytes, isLarge }: RoomRequest, usedBytes: number): boolean {
    const small = this.#bytes * SMALL_RECORDS_SHARE
    const reserved = isLarge && usedBytes > small ? small : 0
    return bytes <= this.#bytes - usedBytes - reserved
  }
}
