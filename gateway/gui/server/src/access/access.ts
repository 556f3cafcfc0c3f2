import type { Login, SessionState } from '@llm-gateway/gui-api'
import { type Caller, type Failed, failed } from '../answer.ts'
import { KnownBrowsers } from './known-browsers.ts'
import { LoginGate } from './login-gate.ts'
import { isToken, type LiveSession, Sessions } from './sessions.ts'

export type AccessOptions = {
  /** Number of wrong secrets in a row after which no secret is judged for a while. */
  readonly limit: number
  /** Unix milliseconds, for sessions. */
  readonly now: () => number
  /** Milliseconds of a clock that never goes back, for the lock. */
  readonly monotonic: () => number
}

/** The parts of a request that identify its sender. */
export type Credentials = {
  readonly sessionId: string | undefined
  readonly authorization: string | undefined
  readonly csrfToken: string | undefined
  /** False for a request that changes something: its session must then send the CSRF token. */
  readonly isReading: boolean
  /** True when the page sent the request by itself: nobody has touched the page for a while. */
  readonly isUnattended: boolean
}

type Entry = { readonly kind: 'in'; readonly caller: Caller }
type NewSession = {
  readonly kind: 'in'
  readonly id: string
  readonly session: LiveSession
  /** Identifies the browser in later logins. */
  readonly browserId: string
}
/** The ids in the cookies of a request. */
export type Cookies = { readonly sessionId: string | undefined; readonly browserId: string | undefined }
type Secret = { readonly kind: 'set'; readonly value: string } | { readonly kind: 'unset' }

const UNSET =
  'GUI_SECRET is not set, so a random secret is in use that nobody can read. Set GUI_SECRET in the environment of the gateway and restart it.'
const LOCKED =
  'Too many wrong passwords were sent. Nobody can log in for a while. People who are logged in stay logged in.'
const SCRIPT = { name: 'script', ended: new AbortController().signal }

/** Decides who is admitted: by the secret for a new session, by a session, or by the secret with each request. */
export class Access {
  readonly #gate: LoginGate
  readonly #browsers: KnownBrowsers
  readonly #sessions: Sessions
  #secret: Secret = { kind: 'unset' }

  constructor({ limit, now, monotonic }: AccessOptions) {
    this.#gate = new LoginGate({ limit, now: monotonic })
    this.#browsers = new KnownBrowsers({ limit, now: monotonic })
    this.#sessions = new Sessions(now)
  }

  /** Sets the secret; another secret ends all sessions. An empty or generated secret admits nobody. */
  setSecret(secret: string, isGenerated: boolean): void {
    const next: Secret = secret === '' || isGenerated ? { kind: 'unset' } : { kind: 'set', value: secret }
    const same = next.kind === 'set' && this.#secret.kind === 'set' && isToken(next.value, this.#secret.value)
    if (!same) {
      this.#sessions.endAll()
      this.#browsers.forgetAll()
    }
    this.#secret = next
  }

  /** Ends expired sessions and with them their open event streams. The server calls this now and then. */
  endExpired(): void {
    this.#sessions.endExpired()
  }

  /** Returns whether somebody could log in now; a known browser, given by its id, has a gate of its own. */
  login(browserId?: string): Login {
    if (this.#secret.kind === 'unset') return { possible: false, reason: 'secret_unset', message: UNSET }
    const { retryAfterMs } = this.#browsers.gate(browserId) ?? this.#gate
    if (retryAfterMs === 0) return { possible: true }
    return { possible: false, reason: 'locked', message: LOCKED, retry_after_seconds: Math.ceil(retryAfterMs / 1000) }
  }

  /** Begins a new session and ends the session that the request came with. */
  logIn(secret: string, name: string, { sessionId: old, browserId }: Cookies): Failed | NewSession {
    const refused = this.#judge(secret, this.#browsers.gate(browserId) ?? this.#gate)
    if (refused !== undefined) return refused
    if (old !== undefined) this.#sessions.end(old)
    return { kind: 'in', ...this.#sessions.begin(name), browserId: this.#browsers.know(browserId) }
  }

  logOut(sessionId: string | undefined): void {
    if (sessionId !== undefined) this.#sessions.end(sessionId)
  }

  /** Returns the state of a cookie's session, and keeps the session alive unless the page asked unattended. */
  session({ sessionId, browserId }: Cookies, isUnattended: boolean): SessionState {
    const session = sessionId === undefined ? undefined : this.#sessions.use(sessionId, isUnattended)
    return session === undefined ? { logged_in: false, login: this.login(browserId) } : sessionState(session)
  }

  admit(credentials: Credentials): Failed | Entry {
    const { sessionId, authorization, csrfToken, isReading, isUnattended } = credentials
    if (authorization !== undefined) {
      const [, secret] = /^Bearer (.{1,4096})$/i.exec(authorization) ?? []
      if (secret === undefined)
        return failed('NOT_LOGGED_IN', 'Send Authorization: Bearer with the value of GUI_SECRET.')
      return this.#judge(secret, this.#gate) ?? { kind: 'in', caller: SCRIPT }
    }
    const session = sessionId === undefined ? undefined : this.#sessions.use(sessionId, isUnattended)
    if (session === undefined) return failed('NOT_LOGGED_IN', 'Log in first.')
    if (!isReading && !isToken(csrfToken, session.csrfToken))
      return failed('FOREIGN_REQUEST', 'The header X-Csrf-Token is missing or belongs to another session.')
    return { kind: 'in', caller: session }
  }

  #judge(given: string, gate: LoginGate): Failed | undefined {
    if (this.#secret.kind === 'unset') return failed('LOGIN_IMPOSSIBLE', UNSET)
    const verdict = gate.judge(given, this.#secret.value)
    switch (verdict.kind) {
      case 'right':
        return undefined
      case 'wrong':
        return failed('WRONG_SECRET', 'The password is wrong. The password is the value of GUI_SECRET.')
      case 'locked':
        return failed('LOCKED', LOCKED, { retry_after_seconds: Math.ceil(verdict.retryAfterMs / 1000) })
      default:
        return verdict satisfies never
    }
  }
}

export function sessionState({ name, csrfToken, idleUntil, endsAt }: LiveSession): SessionState {
  return {
    logged_in: true,
    name,
    csrf_token: csrfToken,
    idle_until: new Date(idleUntil).toISOString(),
    ends_at: new Date(endsAt).toISOString(),
  }
}
