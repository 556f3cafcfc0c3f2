import type { Logger } from '@llm-gateway/conf'

const PAUSE_MS = 10_000

/**
 * Returns a function that logs a refused login. Anybody may send logins: after a line those of ten seconds are only
 * counted, for the next line.
 *
 * @param now milliseconds of a clock that never goes back
 */
export function refusalLog(logger: Pick<Logger, 'warn'>, now: () => number): (code: string) => void {
  let lastMs = Number.NEGATIVE_INFINITY
  let uncounted = 0
  return (code) => {
    uncounted += 1
    if (now() - lastMs < PAUSE_MS) return
    logger.warn({ code, logins: uncounted }, 'login refused')
    lastMs = now()
    uncounted = 0
  }
}
