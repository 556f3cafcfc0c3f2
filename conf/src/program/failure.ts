import { constants } from 'node:os'
import { basename } from 'node:path'

/** An error in a log line, without its message: a message may hold a caller's text. */
export type Failure = { readonly name: string; readonly code?: string; readonly at?: string }

const FRAME = /^\s+at (?:.*\()?(?:file:\/\/)?(?<file>\/.*|[A-Za-z]:[\\/].*):(?<line>\d+):\d+\)?$/

/** Returns an error's name, its code and the line of our own code that threw, such as `count-tokens.ts:12`. */
export function failureOf(error: unknown): Failure {
  if (!(error instanceof Error)) return { name: typeof error }
  const code = errorCode(error)
  const at = error instanceof ThreadError ? error.at : placeOf(error)
  return { name: error.name, ...(code === 'UNKNOWN' ? {} : { code }), ...(at === undefined ? {} : { at }) }
}

/**
 * Returns the calls of an error's stack, innermost first, without the message before them: a message may quote a
 * payload, and its lines may look like calls. Returns no call where the stack doesn't contain the message.
 */
export function callsOf({ message, stack = '' }: Error): readonly string[] {
  const heading = message === '' ? '\n' : `: ${message}\n`
  const start = stack.indexOf(heading)
  return start < 0 ? [] : stack.slice(start + heading.length).split('\n')
}

function placeOf(error: Error): string | undefined {
  for (const line of callsOf(error)) {
    const { file, line: number } = FRAME.exec(line)?.groups ?? {}
    if (file !== undefined && !file.includes('/node_modules/')) return `${basename(file)}:${number}`
  }
  return undefined
}

/** Returns an error's code for log lines. Messages stay out of them: they may hold paths, addresses and values. */
export function errorCode(error: unknown): string {
  if (!(error instanceof Error && 'code' in error && typeof error.code === 'string')) return 'UNKNOWN'
  return error.code.startsWith(UNNAMED) ? (nameOfNumber(error) ?? error.code) : error.code
}

/** Node's table of the system's errors lacks some names, such as EDQUOT, whose code is `Unknown system error -122`. */
const UNNAMED = 'Unknown system error '

function nameOfNumber(error: Error): string | undefined {
  const number = 'errno' in error && typeof error.errno === 'number' ? -error.errno : undefined
  return Object.entries(constants.errno).find(([, value]) => value === number)?.[0]
}

/** The reason why a thread was lost. */
export type ThreadLoss = 'THREAD_MEMORY' | 'THREAD_FAILED' | 'THREAD_ENDED' | 'THREAD_STUCK' | 'THREAD_REFUSED'

export type ThreadFailure = {
  readonly code: string
  readonly name?: string
  readonly at?: string
  readonly loss?: ThreadLoss
}

/** The failure of a thread: the name, code and place of its error, or one of our codes, without any message. */
export class ThreadError extends Error {
  readonly code: string
  /** The line of code in the thread that failed, such as `count-tokens.ts:12`. */
  readonly at: string | undefined
  /** The reason why the thread was lost, for the code THREAD_LOST. */
  readonly loss: ThreadLoss | undefined

  constructor({ code, name = 'ThreadError', at, loss }: ThreadFailure) {
    super('no answer of a thread')
    this.name = name
    this.code = code
    this.at = at
    this.loss = loss
  }
}

/** Settings that a processor cannot start with: path in the file, such as `patterns[0].pattern` → reason. */
export class SettingsError extends Error {
  readonly reasons: Readonly<Record<string, string>>

  constructor(reasons: Readonly<Record<string, string>>) {
    super('settings rejected')
    this.name = 'SettingsError'
    this.reasons = reasons
  }
}
