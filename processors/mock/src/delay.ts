/** LAMBDA 1 is a mean of 100 ms, 0.2 of 500 ms (docs/reference/processors.md#mock). */
const MEAN_MS_OF_ONE = 100

/**
 * Milliseconds one replay waits: exponential with mean 100/`lambda`, 0 = none, never above `maxDelayMs`.
 * `random` gives numbers from 0 up to, but not including, 1.
 */
export function drawDelayMs(lambda: number, maxDelayMs: number, random: () => number): number {
  if (lambda === 0) return 0
  // log1p(-u) is finite for each u below 1, and exact for small ones.
  return Math.min((-Math.log1p(-random()) * MEAN_MS_OF_ONE) / lambda, maxDelayMs)
}
