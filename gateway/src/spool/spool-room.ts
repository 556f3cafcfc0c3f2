import type { Logger } from '@llm-gateway/conf'
import { RouterShares } from './router-shares.ts'

export type SpoolRoomOptions = {
  readonly directory: string
  readonly maxBytes: number
  readonly logger: Pick<Logger, 'warn'>
  readonly nowMs: () => number
  /** Returns the bytes of the spooled records and of the journal. */
  readonly usedBytes: () => number
}

/** The milliseconds between two warnings about a router without a share of the spool. */
const WARNING_MS = 60_000
/** The most routers that are named in this time. */
const MOST_WARNED = 16

/**
 * A spool with less room than this is full once no record fits. With more room a large record waits alone, and the others
 * go on being written.
 */
const FULL_BYTES = 1024 * 1024

/** The choice of the records of a batch; admitted records count. */
export type Admission = {
  admits(router: string, bytes: number): boolean
  /** True where the spool is full: some records have no room, and none was admitted. */
  isFull(): boolean
}

/** The room of a spool, which routers share: one router leaves a quarter to the others, which have it together. */
export class SpoolRoom {
  /** The bytes of each router in the spool and the journal. */
  readonly shares: RouterShares
  readonly #options: SpoolRoomOptions
  /** The time of the last warning about a router. */
  readonly #warnedMs = new Map<string, number>()

  constructor(options: SpoolRoomOptions) {
    this.#options = options
    this.shares = new RouterShares(options.maxBytes)
  }

  /** Returns true where a record of the router has room, without the room that is left to other routers. */
  hasRoom(router: string, bytes: number): boolean {
    const { usedBytes, maxBytes } = this.#options
    const used = usedBytes()
    return used + bytes <= maxBytes && (this.shares.isSmall(router, bytes) || this.#leavesRest(used, bytes))
  }

  /** Returns true where `bytes` of any routers have room once no other records follow. */
  fits(bytes: number): boolean {
    const { usedBytes, maxBytes } = this.#options
    return usedBytes() + bytes <= maxBytes
  }

  /** With `isLast` no other records follow, and routers may use all of the room. The room must not change meanwhile. */
  admission(isLast = false): Admission {
    const { usedBytes, maxBytes } = this.#options
    const used = usedBytes()
    const ofRouters = new Map<string, number>()
    /** The smallest record of each router that was refused: thousands of its records may stand behind it. */
    const refused = new Map<string, number>()
    let batchBytes = 0
    let lacksRoom = false
    const admits = (router: string, bytes: number): boolean => {
      if (bytes >= (refused.get(router) ?? Number.POSITIVE_INFINITY)) return false
      const ofRouter = (ofRouters.get(router) ?? 0) + bytes
      const hasRoom = used + batchBytes + bytes <= maxBytes
      const hasShare = isLast || this.shares.isSmall(router, ofRouter) || this.#leavesRest(used, batchBytes + bytes)
      if (hasRoom && hasShare) {
        ofRouters.set(router, ofRouter)
        batchBytes += bytes
        return true
      }
      refused.set(router, bytes)
      if (!hasRoom) lacksRoom = true
      if (!isLast && (hasRoom || used + FULL_BYTES <= maxBytes)) this.#warn(router)
      return false
    }
    return { admits, isFull: () => lacksRoom && batchBytes === 0 && used + FULL_BYTES > maxBytes }
  }

  /** Returns true where the last quarter stays free. An empty spool takes any record that it has room for. */
  #leavesRest(used: number, bytes: number): boolean {
    return used === 0 || used + bytes <= this.shares.sharedBytes
  }

  #warn(router: string): void {
    const { directory, logger, nowMs } = this.#options
    const now = nowMs()
    for (const [named, ms] of this.#warnedMs) if (now - ms >= WARNING_MS) this.#warnedMs.delete(named)
    if (this.#warnedMs.has(router) || this.#warnedMs.size >= MOST_WARNED) return
    this.#warnedMs.set(router, now)
    logger.warn({ directory, router, bytes: this.shares.bytesOf(router) }, 'spool leaves its rest to other routers')
  }
}
