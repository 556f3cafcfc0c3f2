import { basename } from 'node:path'

/** What a log line tells of an error: never its message, which may hold what a caller sent. */
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
  // Lines of the message could look like frames, so they are looked for behind all of it.
  const heading = message === '' ? '\n' : `: ${message}\n`
  const start = stack.indexOf(heading)
  if (start < 0) return undefined
  for (const line of stack.slice(start + heading.length).split('\n')) {
    const { file, line: number } = FRAME.exec(line)?.groups ?? {}
    if (file !== undefined && !file.includes('/node_modules/')) return `${basename(file)}:${number}`
  }
  return undefined
}

/** The constant that names an error: its messages may hold paths, addresses and values, and stay out of the log. */
export function errorCode(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code
  return 'UNKNOWN'
}

/** Why a thread gave no answer: its own failure's name, code and place, or one of our codes. Nothing of a message is in it. */
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

/** Settings a processor can't start with, by their path in the file: `patterns[0].pattern` → a reason. */
export class SettingsError extends Error {
  readonly reasons: Readonly<Record<string, string>>

  constructor(reasons: Readonly<Record<string, string>>) {
    super('settings rejected')
    this.name = 'SettingsError'
    this.reasons = reasons
  }
}
