import { createHash, randomBytes } from 'node:crypto'
import { LoginGate, type LoginGateOptions } from './login-gate.ts'

/** The browser that was used longest ago goes. */
const MOST_BROWSERS = 1_000

/**
 * Browsers that somebody has logged in with, each with a bucket of its own: whoever fills the common one can't lock them out.
 * Kept in memory, by the hash of what the cookie holds.
 */
export class KnownBrowsers {
  readonly #options: LoginGateOptions
  /** In the order of their last use. */
  readonly #gates = new Map<string, LoginGate>()

  constructor(options: LoginGateOptions) {
    this.#options = options
  }

  /** undefined: nobody has logged in with it. */
  gate(id: string | undefined): LoginGate | undefined {
    return id === undefined ? undefined : this.#gates.get(hashOf(id))
  }

  /** The id of a browser that somebody has just logged in with; it keeps the one it has. */
  know(id: string | undefined): string {
    const known = this.gate(id)
    const next = id !== undefined && known !== undefined ? id : randomBytes(32).toString('base64url')
    const [oldest] = this.#gates.keys()
    if (known === undefined && oldest !== undefined && this.#gates.size >= MOST_BROWSERS) this.#gates.delete(oldest)
    this.#gates.delete(hashOf(next))
    this.#gates.set(hashOf(next), known ?? new LoginGate(this.#options))
    return next
  }

  forgetAll(): void {
    this.#gates.clear()
  }
}

function hashOf(id: string): string {
  return createHash('sha256').update(id).digest('hex')
}
