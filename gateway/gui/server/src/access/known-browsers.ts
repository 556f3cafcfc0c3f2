import { createHash, randomBytes } from 'node:crypto'
import { LoginGate, type LoginGateOptions } from './login-gate.ts'

/** Beyond this number the least recently used browser is forgotten. */
const MOST_BROWSERS = 1_000

/**
 * Browsers that logged in before, each with a login gate of its own: an attacker who locks the common gate does not
 * lock them out. They are kept in memory, by the hash of their cookie.
 */
export class KnownBrowsers {
  readonly #options: LoginGateOptions
  /** In the order of their last use. */
  readonly #gates = new Map<string, LoginGate>()

  constructor(options: LoginGateOptions) {
    this.#options = options
  }

  /** Returns the gate of a browser; undefined for a browser that never logged in. */
  gate(id: string | undefined): LoginGate | undefined {
    return id === undefined ? undefined : this.#gates.get(hashOf(id))
  }

  /** Remembers a browser that just logged in. Returns its known id, or a new id. */
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
