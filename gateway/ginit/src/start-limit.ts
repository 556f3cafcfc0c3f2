const WINDOW_MS = 60_000
const FIRST_DELAY_MS = 250
const LONGEST_DELAY_MS = 5_000

export type StartLimit = {
  /** Counts one start; false when that is more than `maxStarts` within 60 s. */
  admit(): boolean
  /** How long to wait before the next start: a little more for each start of the last 60 s. */
  delayMs(): number
}

/** Counts the starts of a service within 60 s (docs/reference/configuration-rules.md#files-of-the-other-programs). */
export function createStartLimit(maxStarts: number, now: () => number): StartLimit {
  let starts: readonly number[] = []
  const recent = () => starts.filter((start) => now() - start < WINDOW_MS)
  return {
    admit() {
      starts = [...recent(), now()]
      return starts.length <= maxStarts
    },
    delayMs() {
      return Math.min(FIRST_DELAY_MS * 2 ** (Math.max(recent().length, 1) - 1), LONGEST_DELAY_MS)
    },
  }
}
