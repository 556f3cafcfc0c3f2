import { pino } from 'pino'
import { LogOutput } from './log-output.ts'

export type LogLevel = 'DEBUG' | 'INFO' | 'WARN' | 'ERROR'

/** The log of a program: constant messages, data in fields. */
export type Logger = {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
  level: LogLevel
}

export type LoggerOptions = {
  readonly service: string
  readonly level?: LogLevel
  readonly write?: (line: string) => void
}

/**
 * Creates a logger of JSON lines on stdout: `time` (RFC 3339), `level`, `msg`, `service`. Lines are written
 * synchronously, so that an exit loses none. A line that can't be written is dropped.
 */
export function createLogger(options: LoggerOptions): Logger {
  const { service, level = 'INFO', write } = options
  const stdout = new LogOutput({
    file: 1,
    onDropped: (lines, code) => logger.warn({ lines, code }, 'log lines dropped'),
  })
  const logger = pino(
    {
      level: level.toLowerCase(),
      base: { service },
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label.toUpperCase() }) },
    },
    write === undefined ? stdout : { write },
  )
  let current = level
  return {
    debug: (fields, message) => logger.debug(fields, message),
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
    get level() {
      return current
    },
    set level(next) {
      current = next
      logger.level = next.toLowerCase()
    },
  }
}
