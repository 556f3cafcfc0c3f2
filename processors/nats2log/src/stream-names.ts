const LOGGER = /\.gl\.logger$/

/** Names of the streams that keep what is published on a logger subject (wire, 8): `records_<bus_prefix>`, other letters than `A-Za-z0-9_-` as `_`. */
export function streamNames(subject: string): { readonly records: string; readonly refused: string } {
  const records = `records_${subject.replace(LOGGER, '').replaceAll(/[^\w-]/g, '_')}`
  return { records, refused: `${records}_refused` }
}

/** Where a sink publishes what its target will never take. */
export function refusedSubject(subject: string, sink: string): string {
  return `${subject}.refused.${sink}`
}
