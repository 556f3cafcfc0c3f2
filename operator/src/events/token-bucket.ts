export type TokenBucketOptions = {
  readonly burst: number
  readonly perSecond: number
  /** Milliseconds of a clock that never goes back. */
  readonly clock: () => number
}

const SECOND_MS = 1_000

/** A rate limit: `burst` tokens at once, `perSecond` after that. */
export class TokenBucket {
  readonly #options: TokenBucketOptions
  #tokens: number
  #at: number

  constructor(options: TokenBucketOptions) {
    this.#options = options
    this.#tokens = options.burst
    this.#at = options.clock()
  }

  /** Takes a token; false: there was none. */
  take(): boolean {
    const { burst, perSecond, clock } = this.#options
    const now = clock()
    this.#tokens = Math.min(burst, this.#tokens + ((now - this.#at) / SECOND_MS) * perSecond)
    this.#at = now
    if (this.#tokens < 1) return false
    this.#tokens -= 1
    return true
  }
}
