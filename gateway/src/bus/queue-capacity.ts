import { LARGE_RECORD_BYTES } from './record-fifo.ts'
import type { RoomRequest } from './record-room.ts'

/** The share of the queue that large records, and calls with a large body, leave to small records. */
const SMALL_RECORDS_SHARE = 1 / 8
/** A call begins while this share of its part of the queue is free, because running calls will leave records too. */
const FREE_SHARE_FOR_LARGE_CALL = 1 / 8
const FREE_SHARE_FOR_SMALL_CALL = 1 / 16

/** Returns the room that a record of `bytes` needs. */
export function roomForRecord(bytes: number): RoomRequest {
  return { bytes, isLarge: bytes > LARGE_RECORD_BYTES }
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
    return bodyBytes > LARGE_RECORD_BYTES ? this.#largeCall : this.#smallCall
  }

  /**
   * Returns true where the room is free. A large record must leave the small records' share free only while more than
   * that share is in use; otherwise a very large record would wait forever. Small records have their share beside a
   * very large record too: then the queue holds up to an eighth more than its bytes.
   */
  hasRoom({ bytes, isLarge }: RoomRequest, used: { readonly bytes: number; readonly largeBytes: number }): boolean {
    const share = this.#bytes * SMALL_RECORDS_SHARE
    const free = this.#bytes - used.bytes
    if (isLarge) return bytes <= free - (used.bytes > share ? share : 0)
    return bytes <= Math.max(free, share - (used.bytes - used.largeBytes))
  }
}
