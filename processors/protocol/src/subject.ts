/** The first part of every subject where nobody chose another (wire, 1.1). */
export const DEFAULT_BUS_PREFIX = 'llm'

/** The subject of a shipped processor, `{bus_prefix}.gl.<name>` (wire, 2). */
export function processorSubject(prefix: string, name: string): string {
  return `${prefix}.gl.${name}`
}

/** The subject that carries one record per transaction (specification, log message). */
export function loggerSubject(prefix: string): string {
  return `${prefix}.gl.logger`
}
