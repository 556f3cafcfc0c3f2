import type { FailureReason } from './failure.ts'

export type Disabling = {
  readonly member: string
  /** Milliseconds since the epoch; the member is enabled from then on. */
  readonly until: number
  readonly reason: FailureReason
}

export type AvailabilityOptions = {
  /** The members of all pools; no other router has a state. */
  readonly members: ReadonlySet<string>
  readonly disabledMs: number
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** Called when an enabled member was disabled. */
  readonly disabled: (disabling: Disabling) => void
  /** Called when a member's disabled time is over. */
  readonly enabled: (member: string) => void
}

/** The largest assumed difference between the clocks of replicas. */
const MAX_SKEW_MS = 30_000
const MAX_TIMER_MS = 2_147_483_647

/**
 * The members that this process knows to be disabled, and the end of each disabling
 * (docs/reference/processors.md#broker).
 */
export class Availability {
  readonly #options: AvailabilityOptions
  readonly #disabled = new Map<string, Disabling>()
  #timer: NodeJS.Timeout | undefined
  /** The time of the next report. */
  #reportAt = Number.POSITIVE_INFINITY

  constructor(options: AvailabilityOptions) {
    this.#options = options
  }

  /** Returns the end of a member's disabling; undefined for an enabled member. */
  disabledUntil(member: string): number | undefined {
    const until = this.#disabled.get(member)?.until
    if (until === undefined || until > this.#options.now()) return until
    this.#enable(member)
    return undefined
  }

  /** The current disablings. */
  get disablings(): readonly Disabling[] {
    this.#enableExpired()
    return [...this.#disabled.values()]
  }

  /** Disables a failed member; for a disabled one the time starts again. Undefined for a router outside the pools. */
  fail(member: string, reason: FailureReason): Disabling | undefined {
    const { members, now, disabledMs } = this.#options
    if (!members.has(member)) return undefined
    const disabling = { member, until: now() + disabledMs, reason }
    if (disabledMs > 0) this.#disable(disabling)
    return disabling
  }

  /**
   * Takes over a disabling by another replica, or by this replica before its restart. Ignores a disabling that is over,
   * that ends later than a disabling begun now would, or that ends earlier than the known disabling.
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
    // A look at all disabled members for each failure would cost most while many members fail.
    if (disabling.until < this.#reportAt) this.#scheduleReport(disabling.until)
  }

  #enableExpired(): void {
    const now = this.#options.now()
    for (const { member, until } of this.#disabled.values()) {
      if (until <= now) this.#enable(member)
    }
  }

  #enable(member: string): void {
    this.#disabled.delete(member)
    this.#options.enabled(member)
  }

  /** Schedules the report of the next end of a disabling, which would otherwise wait for the next call. */
  #scheduleReport(at: number): void {
    clearTimeout(this.#timer)
    this.#reportAt = at
    const waitMs = Math.min(Math.max(at - this.#options.now(), 1), MAX_TIMER_MS)
    this.#timer = setTimeout(() => this.#report(), waitMs).unref()
  }

  #report(): void {
    this.#enableExpired()
    let next = Number.POSITIVE_INFINITY
    for (const { until } of this.#disabled.values()) next = Math.min(next, until)
    this.#reportAt = next
    if (this.#disabled.size > 0) this.#scheduleReport(next)
  }
}
