import { createHash, timingSafeEqual } from 'node:crypto'

export type Verdict =
  | { readonly kind: 'right' }
  | { readonly kind: 'wrong' }
  /** The secret was not judged, because too many before were wrong. */
  | { readonly kind: 'locked'; readonly retryAfterMs: number }

export type LoginGateOptions = {
  /** Wrong secrets in a row until the gate locks. */
  readonly limit: number
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number
}

const FIRST_LOCK_MS = 30_000
const LONGEST_LOCK_MS = 15 * 60_000
/** After this time without a wrong secret the count starts again. */
const FORGET_MS = 60 * 60_000

/** Lowest limit after a lock: a single wrong secret must not lock everybody out again. */
const FEWEST_TRIES = 2

/**
 * Judges secrets. Wrong secrets of all addresses are counted together, since an attacker can have any number of
 * addresses. After `limit` wrong secrets no secret is judged for 30 s; each further lock lasts twice as long, up to 15
 * minutes. A right secret resets the count.
 */
export class LoginGate {
  readonly #options: LoginGateOptions
  /** Wrong secrets since the last lock. */
  #wrong = 0
  #locks = 0
  #lastWrong = Number.NEGATIVE_INFINITY
  #lockedUntil = Number.NEGATIVE_INFINITY

  constructor(options: LoginGateOptions) {
    this.#options = options
  }

  /** Milliseconds until a secret is judged again; 0 means now. */
  get retryAfterMs(): number {
    return Math.max(0, this.#lockedUntil - this.#options.now())
  }

  judge(given: string, secret: string): Verdict {
    const { limit, now } = this.#options
    const time = now()
    if (this.retryAfterMs > 0) return { kind: 'locked', retryAfterMs: this.retryAfterMs }
    if (time - this.#lastWrong > FORGET_MS) this.#startAgain()
    if (secret !== '' && isSame(given, secret)) {
      this.#startAgain()
      return { kind: 'right' }
    }
    this.#wrong += 1
    this.#lastWrong = time
    if (this.#wrong >= (this.#locks === 0 ? limit : Math.max(limit, FEWEST_TRIES))) this.#lock(time)
    return { kind: 'wrong' }
  }

  #lock(time: number): void {
    this.#lockedUntil = time + Math.min(LONGEST_LOCK_MS, FIRST_LOCK_MS * 2 ** Math.min(this.#locks, 10))
    this.#locks += 1
    this.#wrong = 0
  }

  #startAgain(): void {
    this.#wrong = 0
    this.#locks = 0
  }
}

/**
 * Compares hashes in constant time. All hashes have one length, so the time reveals nothing about the secret's length.
 */
function isSame(given: string, secret: string): boolean {
  const [one, other] = [given, secret].map((text) => createHash('sha256').update(text).digest())
  return one !== undefined && other !== undefined && timingSafeEqual(one, other)
}
