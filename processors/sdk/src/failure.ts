import { basename } from 'node:path'
import { errorCode } from './error-code.ts'
import { ThreadError } from './thread-error.ts'

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
