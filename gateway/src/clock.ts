/**
 * A moment in nanosecond notation without a BigInt per reading: whole seconds since 1970 and the nanoseconds in them.
 */
export type Instant = { readonly seconds: number; readonly nanoseconds: number }

export type Clock = { now(): Instant }

/** Wall-clock steps and long suspensions are followed once the two clocks differ by more than this. */
const toleratedDriftMs = 50

/** The machine's clock: monotonic between two corrections, so that durations are never negative in practice. */
export function createClock(): Clock {
  let originMs = performance.timeOrigin
  return {
    now() {
      const elapsedMs = performance.now()
      const wallMs = Date.now()
      if (Math.abs(originMs + elapsedMs - wallMs) > toleratedDriftMs) originMs = wallMs - elapsedMs
      // Seconds first: a double holds today's milliseconds only to a quarter of a microsecond.
      const originSeconds = Math.floor(originMs / 1000)
      const restMs = originMs - originSeconds * 1000 + elapsedMs
      const restSeconds = Math.floor(restMs / 1000)
      return {
        seconds: originSeconds + restSeconds,
        nanoseconds: Math.min(999_999_999, Math.floor((restMs - restSeconds * 1000) * 1e6)),
      }
    },
  }
}

/** Milliseconds from one instant to the other, with fraction, never below 0. */
export function elapsedMs(start: Instant, stop: Instant): number {
  return Math.max(0, (stop.seconds - start.seconds) * 1000 + (stop.nanoseconds - start.nanoseconds) / 1e6)
}

/** Nanoseconds since 1970 in decimal. */
export function unixNanoseconds(instant: Instant): string {
  return `${instant.seconds}${nineDigits(instant.nanoseconds)}`
}

/** RFC 3339 in UTC with nine digits of fraction. */
export function rfc3339(instant: Instant): string {
  return `${secondText(instant.seconds)}.${nineDigits(instant.nanoseconds)}Z`
}

/** The JSON of a record's timer: `{start, stop, duration}`, duration in whole milliseconds (wire, 3). */
export function timerJson(start: Instant, end: Instant): string {
  // A clock set back in between stops the timer at its start.
  const stop = isBefore(end, start) ? start : end
  return `{"start":"${rfc3339(start)}","stop":"${rfc3339(stop)}","duration":${Math.round(elapsedMs(start, stop))}}`
}

function isBefore(one: Instant, other: Instant): boolean {
  return one.seconds < other.seconds || (one.seconds === other.seconds && one.nanoseconds < other.nanoseconds)
}

function nineDigits(nanoseconds: number): string {
  return String(nanoseconds).padStart(9, '0')
}

// Nearly every instant formatted falls into the second of the one before: one entry is the whole cache.
let cachedSecond = -1
let cachedText = ''

function secondText(seconds: number): string {
  if (seconds !== cachedSecond) {
    cachedText = new Date(seconds * 1000).toISOString().slice(0, 19)
    cachedSecond = seconds
  }
  return cachedText
}
