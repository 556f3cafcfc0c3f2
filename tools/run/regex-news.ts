import type { LogEntry } from './console-line.ts'

/** Says when a regex processor joins that had to wait for its native addon; undefined for every other entry. */
export function createRegexNews(seconds: () => number): (entry: LogEntry) => string | undefined {
  let waits = false
  return ({ service, msg }) => {
    if (service !== 'regex') return undefined
    if (msg === 'processor waits for re2 to be built') waits = true
    if (msg !== 'processor initialized' || !waits) return undefined
    waits = false
    return `  ${'regex'.padEnd(14)} ${seconds().toFixed(1).padStart(6)} s (re2 is built: /markdown/ and /json/ find blocks now)`
  }
}
