import { Journal } from '@llm-gateway/test/fake/journal'
import type { Logger } from '../logger.ts'

export type LogLine = { readonly level: string; readonly message: string; readonly fields: object }

/** Makes a logger for tests that keeps its lines in a journal, on which tests can wait. */
export function journalLogger(): {
  readonly logger: Logger
  readonly lines: Journal<LogLine>
  logged(message: string): Promise<LogLine>
} {
  const lines = new Journal<LogLine>()
  const write = (level: string) => (fields: object, message: string) => lines.add({ level, message, fields })
  return {
    logger: { info: write('INFO'), warn: write('WARN'), error: write('ERROR') },
    lines,
    logged: (message) => lines.waitFor((line) => line.message === message, { what: message }),
  }
}
