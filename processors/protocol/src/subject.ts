/** The default for the first part of every subject. */
export const DEFAULT_BUS_PREFIX = 'llm'

/** Returns the subject of a shipped processor, `{bus_prefix}.gl.<name>` (docs/reference/bus.md#connection). */
export function processorSubject(prefix: string, name: string): string {
  return `${prefix}.gl.${name}`
}

/** Returns the subject that carries one record for each transaction (docs/reference/record.md). */
export function loggerSubject(prefix: string): string {
  return `${prefix}.gl.logger`
}
