import type { KeyValue, Logger } from '@llm-gateway/sdk'
import type { UsedTokens } from './caps.ts'
import { ShareWriter } from './share-writer.ts'
import { decodeCounts, encodeCounts, parseShareKey, shareKey, sumOfCounts, type TokenShare } from './token-share.ts'
import type { TokenCounts } from './usage.ts'

export type SharedTokensOptions = {
  readonly keyValue: KeyValue
  /** The id of this process; a restarted process has another. */
  readonly replica: string
  readonly periodSeconds: number
  /** Routers with a cap; other replicas' counts for other routers aren't kept. */
  readonly routers: ReadonlySet<string>
  readonly logger: Pick<Logger, 'warn' | 'info'>
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/** Router → replica → its tokens. */
type Window = Map<string, Map<string, TokenCounts>>

const MS_PER_SECOND = 1_000
const NONE: TokenCounts = new Map()

/**
 * Tokens used by all replicas, one count per router and window. Each replica writes keys of its own and sums all, so no
 * replica waits for another; reads and additions happen in memory. While the store can't be reached, a replica uses the
 * counts that it knows and writes its own later.
 */
export class SharedTokens implements UsedTokens {
  /** Resolves once the counts of the other replicas are known. */
  readonly ready: Promise<void>
  readonly #options: SharedTokensOptions
  readonly #writer: ShareWriter
  readonly #watch: ReturnType<KeyValue['watch']>
  /**
   * The counts in the bucket, which is bounded and forgets old windows, and this process's counts of the two newest
   * windows.
   */
  readonly #windows = new Map<number, Window>()

  constructor(options: SharedTokensOptions) {
    const { keyValue, logger } = options
    this.#options = options
    this.#writer = new ShareWriter({ keyValue, logger, isOver: (key) => this.#isOver(parseShareKey(key)?.window ?? 0) })
    this.#watch = keyValue.watch((key, entry) => this.#onEntry(key, entry?.value))
    this.ready = this.#watch.ready
  }

  used(router: string, window: number): TokenCounts {
    return sumOfCounts(this.#windows.get(window)?.get(router)?.values() ?? [])
  }

  add(router: string, window: number, counts: TokenCounts): void {
    const { replica } = this.#options
    // Near a window's end the clocks of two replicas may differ by a window; older windows aren't needed.
    for (const known of this.#windows.keys()) if (known < window - 1) this.#windows.delete(known)
    const shares = this.#sharesOf(router, window)
    const own = sumOfCounts([shares.get(replica) ?? NONE, counts])
    shares.set(replica, own)
    this.#writer.write(shareKey({ window, replica, router }), encodeCounts(own))
  }

  /** Writes the unwritten counts once and ends the watch. */
  async close(): Promise<void> {
    await this.#writer.close()
    await this.#watch.close()
  }

  #onEntry(key: string, value: Uint8Array | undefined): void {
    const share = parseShareKey(key)
    if (share === undefined) return
    const { router, window, replica } = share
    if (!this.#options.routers.has(router)) return
    if (replica === this.#options.replica) {
      if (value === undefined) this.#ownGone(key, share)
    } else if (value === undefined) this.#forget(share)
    else this.#sharesOf(router, window).set(replica, decodeCounts(value))
  }

  /** Writes our own share again when the store has lost it. */
  #ownGone(key: string, share: TokenShare): void {
    const own = this.#windows.get(share.window)?.get(share.router)?.get(share.replica)
    if (own === undefined || this.#isOver(share.window)) this.#forget(share)
    else this.#writer.write(key, encodeCounts(own))
  }

  #forget({ window, router, replica }: TokenShare): void {
    const routers = this.#windows.get(window)
    const shares = routers?.get(router)
    shares?.delete(replica)
    if (shares?.size === 0) routers?.delete(router)
    if (routers?.size === 0) this.#windows.delete(window)
  }

  #sharesOf(router: string, window: number): Map<string, TokenCounts> {
    const routers: Window = this.#windows.get(window) ?? new Map()
    const shares = routers.get(router) ?? new Map<string, TokenCounts>()
    this.#windows.set(window, routers.set(router, shares))
    return shares
  }

  #isOver(window: number): boolean {
    return (window + 1) * this.#options.periodSeconds * MS_PER_SECOND <= this.#options.now()
  }
}
