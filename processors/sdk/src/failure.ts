import { basename } from 'node:path'

/** An error in a log line, without its message, which may hold text of a caller. */
export type Failure = { readonly name: string; readonly code?: string; readonly at?: string }

const FRAME = /^\s+at (?:.*\()?(?:file:\/\/)?(?<file>\/.*|[A-Za-z]:[\\/].*):(?<line>\d+):\d+\)?$/

/** Names an error and the place of our own code that it came from: `count-tokens.ts:12`. */
export function failureOf(error: unknown): Failure {
  if (!(error instanceof Error)) return { name: typeof error }
  const code = errorCode(error)
  const at = error instanceof ThreadError ? error.at : placeOf(error)
  return { name: error.name, ...(code === 'UNKNOWN' ? {} : { code }), ...(at === undefined ? {} : { at }) }
}

function placeOf({ message, stack = '' }: Error): string | undefined {
  // Lines of the message could look like stack frames, so the search begins behind the message.
  const heading = message === '' ? '\n' : `: ${message}\n`
  const start = stack.indexOf(heading)
  if (start < 0) return undefined
  for (const line of stack.slice(start + heading.length).split('\n')) {
    const { file, line: number } = FRAME.exec(line)?.groups ?? {}
    if (file !== undefined && !file.includes('/node_modules/')) return `${basename(file)}:${number}`
  }
  return undefined
}

/** The code of an error for log lines; messages stay out of them, because they may hold paths, addresses and values. */
export function errorCode(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code
  return 'UNKNOWN'
}

/** The failure of a thread: the name, code and place of its error, or one of our codes, without any message. */
export class ThreadError extends Error {
  readonly code: string
  /** The line of code that a failure inside of the thread came from: `count-tokens.ts:12`. */
  readonly at: string | undefined

  constructor({ code, name = 'ThreadError', at }: ThreadFailure) {
    super('no answer of a thread')
    this.name = name
    this.code = code
    this.at = at
  }
}

export type ThreadFailure = { readonly code: string; readonly name?: string; readonly at?: string }

/** Settings that a processor cannot start with: path in the file, such as `patterns[0].pattern` → reason. */
export class SettingsError extends Error {
  readonly reasons: Readonly<Record<string, string>>

  constructor(reasons: Readonly<Record<string, string>>) {
    super('settings rejected')
    this.name = 'SettingsError'
    this.reasons = reasons
  }
}
