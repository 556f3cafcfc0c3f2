const SHOWN = new Set(['WARN', 'ERROR'])
const ENVELOPE = new Set(['time', 'level', 'msg', 'service'])

export type LogEntry = Readonly<Record<string, unknown>>

/** Parses a JSON log line to its fields; undefined for any other text. */
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

/** Returns the line that the console shows for a log entry: a warning or an error; undefined for other entries. */
export function consoleLine(entry: LogEntry): string | undefined {
  if (typeof entry.level !== 'string' || !SHOWN.has(entry.level)) return undefined
  const rest = Object.fromEntries(Object.entries(entry).filter(([name]) => !ENVELOPE.has(name)))
  const details = Object.keys(rest).length === 0 ? '' : ` ${JSON.stringify(rest)}`
  return `  ${entry.level} ${entry.service}: ${entry.msg}${details}`
}
