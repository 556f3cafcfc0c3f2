import type { Logger } from '@llm-gateway/conf'

const PAUSE_MS = 10_000

/**
 * Returns a function that logs refused logins. Anybody may send logins, so it writes at most one line in ten seconds; the
 * first refusal after them writes the next line, with the number of refusals since the last one.
 *
 * @param now milliseconds of a clock that never goes back
 */
export function refusalLog(logger: Pick<Logger, 'warn'>, now: () => number): (code: string) => void {
  let lastMs = Number.NEGATIVE_INFINITY
  let unwritten = 0
  return (code) => {
    unwritten += 1
    if (now() - lastMs < PAUSE_MS) return
    logger.warn({ code, logins: unwritten }, 'login refused')
    lastMs = now()
    unwritten = 0
  }
}
