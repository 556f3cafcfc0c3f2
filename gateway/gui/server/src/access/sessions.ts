import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

export type LiveSession = {
  /** The name that the person typed, unverified. */
  readonly name: string
  readonly csrfToken: string
  /** Unix milliseconds. */
  readonly idleUntil: number
  readonly endsAt: number
  /** Aborted when the session ends for any reason. */
  readonly ended: AbortSignal
}

const IDLE_MS = 60 * 60_000
const LONGEST_MS = 12 * 60 * 60_000
/** Anybody with the secret may log in often; beyond this number the session that was idle longest ends. */
const MOST_SESSIONS = 1_000

type StoredSession = { readonly session: LiveSession; readonly end: AbortController }

/**
 * The sessions of logged-in people. They are kept in memory by the hash of their cookie, so a restart ends all of them.
 */
export class Sessions {
  readonly #now: () => number
  /** In the order of their last use. */
  readonly #sessions = new Map<string, StoredSession>()

  /** @param now Unix milliseconds */
  constructor(now: () => number) {
    this.#now = now
  }

  /** Begins a session with a new id, even if the login came with a cookie. */
  begin(name: string): { readonly id: string; readonly session: LiveSession } {
    this.endExpired()
    const [oldest] = this.#sessions.keys()
    if (oldest !== undefined && this.#sessions.size >= MOST_SESSIONS) this.#end(oldest)
    const id = randomBytes(32).toString('base64url')
    const end = new AbortController()
    const now = this.#now()
    const session = {
      name,
      csrfToken: randomBytes(32).toString('base64url'),
      idleUntil: now + IDLE_MS,
      endsAt: now + LONGEST_MS,
      ended: end.signal,
    }
    this.#sessions.set(hashOf(id), { session, end })
    return { id, session }
  }

  /**
   * Returns the session of a cookie; undefined if there is none or its time is over. Unattended use doesn't prolong it.
   */
  use(id: string, isUnattended: boolean): LiveSession | undefined {
    const key = hashOf(id)
    const kept = this.#current(key)
    if (kept === undefined || isUnattended) return kept?.session
    const idleUntil = Math.min(this.#now() + IDLE_MS, kept.session.endsAt)
    const session = { ...kept.session, idleUntil }
    this.#sessions.delete(key)
    this.#sessions.set(key, { ...kept, session })
    return session
  }

  end(id: string): void {
    this.#end(hashOf(id))
  }

  /** Ends sessions whose time is over. Without this call an open live view would go on. */
  endExpired(): void {
    for (const key of [...this.#sessions.keys()]) this.#current(key)
  }

  endAll(): void {
    for (const key of [...this.#sessions.keys()]) this.#end(key)
  }

  #current(key: string): StoredSession | undefined {
    const kept = this.#sessions.get(key)
    if (kept === undefined) return undefined
    const now = this.#now()
    if (now < kept.session.idleUntil && now < kept.session.endsAt) return kept
    this.#end(key)
    return undefined
  }

  #end(key: string): void {
    this.#sessions.get(key)?.end.abort()
    this.#sessions.delete(key)
  }
}

/** Compares in constant time. */
export function isToken(given: string | undefined, token: string): boolean {
  if (given === undefined || given.length !== token.length) return false
  return timingSafeEqual(Buffer.from(hashOf(given)), Buffer.from(hashOf(token)))
}

function hashOf(id: string): string {
  return createHash('sha256').update(id).digest('hex')
}
