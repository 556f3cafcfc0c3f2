import { readFileSync } from 'node:fs'

/** The events of an API server's audit log, as JSON each; the last line may not be written to its end yet. */
export function readAuditLog(file: string | undefined): readonly string[] {
  if (file === undefined) throw new Error('this API server keeps no audit log')
  return readFileSync(file, 'utf8').split('\n').slice(0, -1)
}
