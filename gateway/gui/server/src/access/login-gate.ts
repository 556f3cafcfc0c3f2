import { createHash, timingSafeEqual } from 'node:crypto'

export type Verdict =
  | { readonly kind: 'right' }
  | { readonly kind: 'wrong' }
  /** Not judged: too many were wrong. */
  | { readonly kind: 'locked'; readonly retryAfterMs: number }

export type LoginGateOptions = {
  /** Wrong secrets in a row until the gate locks. */
  readonly limit: number
  /** Milliseconds on a clock that only goes on. */
  readonly now: () => number
}

const FIRST_LOCK_MS = 30_000
const LONGEST_LOCK_MS = 15 * 60_000
/** Without a wrong secret for so long, all is forgiven. */
const FORGET_MS = 60 * 60_000

/** After a lock that many are judged at least, so that whoever sends a wrong one at its end doesn't lock all others out. */
const FEWEST_TRIES = 2

/**
 * Judges secrets, one bucket for all addresses: an address costs an attacker nothing. After `limit` wrong ones nobody is judged
 * for 30 s, after as many more for twice as long, up to 15 minutes. A right one forgives all.
 */
export class LoginGate {
  readonly #options: LoginGateOptions
  /** Since the last lock. */
  #wrong = 0
  #locks = 0
  #lastWrong = Number.NEGATIVE_INFINITY
  #lockedUntil = Number.NEGATIVE_INFINITY

  constructor(options: LoginGateOptions) {
    this.#options = options
  }

  /** 0: a secret would be judged now. */
  get retryAfterMs(): number {
    return Math.max(0, this.#lockedUntil - this.#options.now())
  }

  judge(given: string, secret: string): Verdict {
    const { limit, now } = this.#options
    const time = now()
    if (this.retryAfterMs > 0) return { kind: 'locked', retryAfterMs: this.retryAfterMs }
    if (time - this.#lastWrong > FORGET_MS) this.#forgive()
    if (secret !== '' && isSame(given, secret)) {
      this.#forgive()
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

  #forgive(): void {
    this.#wrong = 0
    this.#locks = 0
  }
}

/** Hashes have one length, so that nothing is told about the secret's. */
function isSame(given: string, secret: string): boolean {
  const [one, other] = [given, secret].map((text) => createHash('sha256').update(text).digest())
  return one !== undefined && other !== undefined && timingSafeEqual(one, other)
}
