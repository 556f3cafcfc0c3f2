import type { LogEntry } from './console-line.ts'

/**
 * Says of the regex processor, which waits for a native addon, when it stays behind and when it joins; undefined for every
 * other entry, and for a regex processor that was there from the start.
 */
export function createRegexNews(seconds: () => number): (entry: LogEntry) => string | undefined {
  let waits = false
  return ({ service, msg }) => {
    if (service !== 'regex') return undefined
    if (msg === 'processor waits for re2 to be built') {
      waits = true
      return '  regex          joins when re2 is built; everything else does not wait for it'
    }
    if (msg !== 'processor initialized' || !waits) return undefined
    waits = false
    return `  ${'regex'.padEnd(14)} ${seconds().toFixed(1).padStart(6)} s (re2 is built: /markdown/ and /json/ find blocks now)`
  }
}
