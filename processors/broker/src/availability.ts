import type { FailureReason } from './failure.ts'

export type Disabling = {
  readonly member: string
  /** Milliseconds since the epoch; from then on it is enabled. */
  readonly until: number
  readonly reason: FailureReason
}

export type AvailabilityOptions = {
  /** Only they have a state. */
  readonly members: ReadonlySet<string>
  readonly disabledMs: number
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** An enabled member was disabled. */
  readonly disabled: (disabling: Disabling) => void
  /** Its time is over. */
  readonly enabled: (member: string) => void
}

/** How far the clocks of replicas may be apart. */
const MAX_SKEW_MS = 30_000
const MAX_TIMER_MS = 2_147_483_647

/** The members that this process knows to be disabled, and until when (docs/reference/processors.md#broker). */
export class Availability {
  readonly #options: AvailabilityOptions
  readonly #disabled = new Map<string, Disabling>()
  #timer: NodeJS.Timeout | undefined

  constructor(options: AvailabilityOptions) {
    this.#options = options
  }

  /** Undefined for a member that is enabled. */
  disabledUntil(member: string): number | undefined {
    const until = this.#disabled.get(member)?.until
    if (until === undefined || until > this.#options.now()) return until
    this.#enable(member)
    return undefined
  }

  /** What is disabled now. */
  get disablings(): readonly Disabling[] {
    this.#enableThoseOver()
    return [...this.#disabled.values()]
  }

  /** It failed: its time begins, or begins again. Undefined where it is no member of any pool. */
  fail(member: string, reason: FailureReason): Disabling | undefined {
    const { members, now, disabledMs } = this.#options
    if (!members.has(member)) return undefined
    const disabling = { member, until: now() + disabledMs, reason }
    if (disabledMs > 0) this.#disable(disabling)
    return disabling
  }

  /**
   * What another replica, or this one before its restart, has seen. What is over, ends later than a failure of this moment
   * could, or says less than is known here changes nothing.
   */
  learn(disabling: Disabling): void {
    const { members, now, disabledMs } = this.#options
    const { member, until } = disabling
    if (!members.has(member) || until <= now() || until > now() + disabledMs + MAX_SKEW_MS) return
    if (until > (this.disabledUntil(member) ?? 0)) this.#disable(disabling)
  }

  close(): void {
    clearTimeout(this.#timer)
  }

  #disable(disabling: Disabling): void {
    const { member } = disabling
    const wasEnabled = this.disabledUntil(member) === undefined
    this.#disabled.set(member, disabling)
    if (wasEnabled) this.#options.disabled(disabling)
    this.#lookLater()
  }

  #enableThoseOver(): void {
    const now = this.#options.now()
    for (const { member, until } of this.#disabled.values()) {
      if (until <= now) this.#enable(member)
    }
  }

  #enable(member: string): void {
    this.#disabled.delete(member)
    this.#options.enabled(member)
  }

  /** So that the end of a member's time is told when it comes, not at the next call. */
  #lookLater(): void {
    clearTimeout(this.#timer)
    if (this.#disabled.size === 0) return
    const first = Math.min(...[...this.#disabled.values()].map(({ until }) => until))
    const waitMs = Math.min(Math.max(first - this.#options.now(), 1), MAX_TIMER_MS)
    this.#timer = setTimeout(() => {
      this.#enableThoseOver()
      this.#lookLater()
    }, waitMs).unref()
  }
}
