const SHOWN = new Set(['WARN', 'ERROR'])
const ENVELOPE = new Set(['time', 'level', 'msg', 'service'])

export type LogEntry = Readonly<Record<string, unknown>>

/** A JSON log line's fields; undefined for any other text. */
export function parseLogLine(line: string): LogEntry | undefined {
  if (!line.startsWith('{')) return undefined
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** What a person who started everything sees of a log entry: warnings and errors, in one line; undefined for the rest. */
export function consoleLine(entry: LogEntry): string | undefined {
  if (typeof entry.level !== 'string' || !SHOWN.has(entry.level)) return undefined
  const rest = Object.fromEntries(Object.entries(entry).filter(([name]) => !ENVELOPE.has(name)))
  const details = Object.keys(rest).length === 0 ? '' : ` ${JSON.stringify(rest)}`
  return `  ${entry.level} ${entry.service}: ${entry.msg}${details}`
}
