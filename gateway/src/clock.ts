/** A moment in nanoseconds without a BigInt: whole seconds since 1970 and the nanoseconds in them. */
export class Instant {
  readonly seconds: number
  readonly nanoseconds: number
  #rfc3339: string | undefined

  constructor(seconds: number, nanoseconds: number) {
    this.seconds = seconds
    this.nanoseconds = nanoseconds
  }

  /** RFC 3339 in UTC with nine digits of fraction; cached, since the stop of a timer is the start of the next timer. */
  get rfc3339(): string {
    this.#rfc3339 ??= `${secondText(this.seconds)}.${nineDigits(this.nanoseconds)}Z`
    return this.#rfc3339
  }
}

export type Clock = { now(): Instant }

/** The difference in milliseconds beyond which the clock follows wall-clock steps and long suspensions. */
const toleratedDriftMs = 50

/** Creates the machine's clock, monotonic between two corrections, so that durations are never negative in practice. */
export function createClock(): Clock {
  let originMs = performance.timeOrigin
  return {
    now() {
      const elapsedMs = performance.now()
      const wallMs = Date.now()
      if (Math.abs(originMs + elapsedMs - wallMs) > toleratedDriftMs) originMs = wallMs - elapsedMs
      // Seconds are separated first: a double holds today's milliseconds only to a quarter of a microsecond.
      const originSeconds = Math.floor(originMs / 1000)
      const restMs = originMs - originSeconds * 1000 + elapsedMs
      const restSeconds = Math.floor(restMs / 1000)
      const nanoseconds = Math.min(999_999_999, Math.floor((restMs - restSeconds * 1000) * 1e6))
      return new Instant(originSeconds + restSeconds, nanoseconds)
    },
  }
}

/** Returns the milliseconds from one instant to the other, with fraction, at least 0. */
export function elapsedMs(start: Instant, stop: Instant): number {
  return Math.max(0, (stop.seconds - start.seconds) * 1000 + (stop.nanoseconds - start.nanoseconds) / 1e6)
}

/** Returns the nanoseconds since 1970 in decimal. */
export function unixNanoseconds(instant: Instant): string {
  return `${instant.seconds}${nineDigits(instant.nanoseconds)}`
}

/**
 * Returns the JSON of a record's timer: `{start, stop, duration}`, the duration in whole milliseconds
 * (docs/reference/record.md#shared-forms).
 */
export function timerJson(start: Instant, end: Instant): string {
  // If the clock was set back meanwhile, the timer stops at its start.
  const stop = isBefore(end, start) ? start : end
  return `{"start":"${start.rfc3339}","stop":"${stop.rfc3339}","duration":${Math.round(elapsedMs(start, stop))}}`
}

function isBefore(one: Instant, other: Instant): boolean {
  return one.seconds < other.seconds || (one.seconds === other.seconds && one.nanoseconds < other.nanoseconds)
}

function nineDigits(nanoseconds: number): string {
  return String(nanoseconds).padStart(9, '0')
}

// A cache of one entry: nearly every formatted instant is in the same second as the instant before.
let cachedSecond = -1
let cachedText = ''

function secondText(seconds: number): string {
  if (seconds !== cachedSecond) {
    cachedText = new Date(seconds * 1000).toISOString().slice(0, 19)
    cachedSecond = seconds
  }
  return cachedText
}
