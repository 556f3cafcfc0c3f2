import { readFile } from 'node:fs/promises'

/** Files that the program, the bus, the spool and the admin port may need. */
const OTHER_FILES = 256
const FEWEST = 64

/**
 * Returns how many connections of callers the limit of the process's open files allows, where each may need another
 * connection to an LLM API; Infinity where the system states no limit.
 */
export async function mostConnections(limitsFile = '/proc/self/limits'): Promise<number> {
  // Other systems than Linux have no such file.
  const limits = await readFile(limitsFile, 'latin1').catch(() => '')
  const files = /^Max open files\s+(\d+)/m.exec(limits)?.[1]
  return files === undefined ? Number.POSITIVE_INFINITY : Math.max(FEWEST, (Number(files) - OTHER_FILES) / 2)
}
