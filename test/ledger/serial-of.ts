/** The serial of the call that a record is of, also where its payload was cut. Of a text that has none: NaN. */
export function serialOf(record: string): number {
  return Number(/\{\\?"serial\\?":(\d+)/.exec(record)?.[1] ?? Number.NaN)
}
