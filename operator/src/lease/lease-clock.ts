import { uptime } from 'node:os'

/**
 * Milliseconds since the clock was made, which count on while the process is stopped or the machine sleeps.
 * `performance.now` stands still in a suspended machine; the kernel's uptime goes on, but is exact to 10 ms only.
 */
export type LeaseClock = () => number

const SECOND_MS = 1_000

export function createLeaseClock(): LeaseClock {
  const beganMs = performance.now()
  const uptimeMs = uptime() * SECOND_MS
  return () => Math.max(performance.now() - beganMs, uptime() * SECOND_MS - uptimeMs)
}
