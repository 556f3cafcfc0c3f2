/** The service refuses a signature of another quarter of an hour; what is below this is no reason to be refused. */
const SKEW_MS = 5 * 60_000

/** Our clock, corrected by what the service's own showed when it refused a signature. */
export class AzureClock {
  readonly #now: () => number
  #offsetMs = 0

  constructor(now: () => number) {
    this.#now = now
  }

  /** Milliseconds since the epoch, as the service would say. */
  now(): number {
    return this.#now() + this.#offsetMs
  }

  /**
   * Corrects the clock where the service's date is far from the time a refused request was signed with; the offset from
   * our own clock then, milliseconds. Undefined where the clock is no reason for the refusal.
   */
  correct(signedAt: number, serviceDate: number | undefined): number | undefined {
    if (serviceDate === undefined || Math.abs(serviceDate - signedAt) < SKEW_MS) return undefined
    this.#offsetMs = serviceDate - this.#now()
    return this.#offsetMs
  }
}
