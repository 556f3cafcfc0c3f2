import type { KeyValue, Logger } from '@llm-gateway/sdk'
import type { UsedTokens } from './caps.ts'
import { ShareWriter } from './share-writer.ts'
import { decodeCounts, encodeCounts, parseShareKey, shareKey, sumOfCounts, type TokenShare } from './token-share.ts'
import type { TokenCounts } from './usage.ts'

export type SharedTokensOptions = {
  readonly keyValue: KeyValue
  /** Of this process: a restarted one is another. */
  readonly replica: string
  readonly periodSeconds: number
  /** Routers with a cap; what others say of any other router isn't kept. */
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
 * Tokens that all replicas used, one count per router and window. Each replica writes a key of its own and sums all, so
 * none waits for another; looking and adding are done in memory. While the store can't be reached a replica goes by what
 * it knows, and writes it when it can.
 */
export class SharedTokens implements UsedTokens {
  /** Resolves once what the others used is known. */
  readonly ready: Promise<void>
  readonly #options: SharedTokensOptions
  readonly #writer: ShareWriter
  readonly #watch: ReturnType<KeyValue['watch']>
  /** What the bucket holds, which has a limit and forgets old windows; of our own windows the two newest. */
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
    // The clocks of two replicas may be on both sides of a window's end; what is older nobody asks for.
    for (const known of this.#windows.keys()) if (known < window - 1) this.#windows.delete(known)
    const shares = this.#sharesOf(router, window)
    const own = sumOfCounts([shares.get(replica) ?? NONE, counts])
    shares.set(replica, own)
    this.#writer.write(shareKey({ window, replica, router }), encodeCounts(own))
  }

  /** Writes what is not yet written, once. */
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

  /** A store that lost its bucket is told again what still holds. */
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
