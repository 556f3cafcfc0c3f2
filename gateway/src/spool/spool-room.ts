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

/** The milliseconds between two warnings that a router has no share of the spool left. */
const WARNING_MS = 60_000

/** The room of a spool, which routers share: the records of one router neither stop nor lose those of the others. */
export class SpoolRoom {
  /** The bytes of each router in the spool and the journal. */
  readonly shares: RouterShares
  readonly #options: SpoolRoomOptions
  #warnedMs = Number.NEGATIVE_INFINITY

  constructor(options: SpoolRoomOptions) {
    this.#options = options
    this.shares = new RouterShares(options.maxBytes)
  }

  /** Returns false where a record of the router would use the room that is left to other routers. */
  hasShare(router: string, bytes: number): boolean {
    return this.shares.isSmall(router, bytes) || this.#leavesRest(bytes)
  }

  /** Returns a function that tells whether a router has a share for one more record of a batch; those before count. */
  admission(): (router: string, bytes: number) => boolean {
    const batch = new Map<string, number>()
    let batchBytes = 0
    return (router, bytes) => {
      const ofRouter = (batch.get(router) ?? 0) + bytes
      if (!this.shares.isSmall(router, ofRouter) && !this.#leavesRest(batchBytes + bytes)) {
        this.#warn(router)
        return false
      }
      batch.set(router, ofRouter)
      batchBytes += bytes
      return true
    }
  }

  /** Returns true where the last quarter stays free. An empty spool takes any record. */
  #leavesRest(bytes: number): boolean {
    const used = this.#options.usedBytes()
    return used === 0 || used + bytes <= this.shares.sharedBytes
  }

  #warn(router: string): void {
    const { directory, logger, nowMs } = this.#options
    if (nowMs() - this.#warnedMs < WARNING_MS) return
    this.#warnedMs = nowMs()
    logger.warn({ directory, router, bytes: this.shares.bytesOf(router) }, 'spool leaves its rest to other routers')
  }
}
