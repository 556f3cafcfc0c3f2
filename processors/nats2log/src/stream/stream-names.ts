const LOGGER = /\.gl\.logger$/

/**
 * Returns the names of the streams of a logger subject (docs/reference/kept-records.md#stream): `records_<bus_prefix>`,
 * in which `_` replaces every character but `A-Za-z0-9_-`.
 */
export function streamNames(subject: string): { readonly records: string; readonly refused: string } {
  const records = `records_${subject.replace(LOGGER, '').replaceAll(/[^\w-]/g, '_')}`
  return { records, refused: `${records}_refused` }
}

/** Returns the subject of a sink's dead letters. */
export function refusedSubject(subject: string, sink: string): string {
  return `${subject}.refused.${sink}`
}
