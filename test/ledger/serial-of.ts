/** Returns the serial of a record's call, also from a cut payload; NaN if the text has none. */
export function serialOf(record: string): number {
  return Number(/\{\\?"serial\\?":(\d+)/.exec(record)?.[1] ?? Number.NaN)
}
