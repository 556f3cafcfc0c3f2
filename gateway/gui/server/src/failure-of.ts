import type { Logger } from '@llm-gateway/conf'
import { type Endpoint, endpoints } from '@llm-gateway/gui-api'
import { ThreadError } from '@llm-gateway/sdk'
import { type Failed, failed } from './answer.ts'
import { NOT_THE_JSON } from './read-body.ts'

/** A thread is too busy, or the question takes more time or memory than it has. Any other error of it is a bug. */
const NOT_IN_TIME: ReadonlySet<string> = new Set(['TIMEOUT', 'OVERLOADED', 'THREAD_LOST'])
const TOO_BUSY = 'The web interface has no time or no memory for this now.'

const CHANGES: ReadonlySet<string> = new Set(
  Object.values<Endpoint>(endpoints).flatMap(({ changes, method, path }) => (changes ? [`${method} ${path}`] : [])),
)

/** Maps an error to a failure. `route` is the endpoint's method and path. Fastify's own refusals have a status below 500; every other error is a bug. */
export function failureOf(error: unknown, route: string, logger: Logger): Failed {
  const status = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500
  if (status >= 400 && status < 500) return NOT_THE_JSON
  if (error instanceof ThreadError && NOT_IN_TIME.has(error.code)) {
    const next = CHANGES.has(route) ? 'Load the page again: the change may be made.' : 'Try again in a moment.'
    return failed('BUSY', `${TOO_BUSY} ${next}`, { retry_after_seconds: 5 })
  }
  logFault(error, logger)
  return failed('INTERNAL', 'The web interface has an internal error. Its log has the details.')
}

/**
 * Logs an error by its name and place; a thread's error by its place in the thread. The message is left out: it may
 * hold parts of the request.
 */
export function logFault(error: unknown, logger: Logger): void {
  const stack = error instanceof Error ? /\n +at (.*)/.exec(error.stack ?? '')?.[1] : undefined
  const place = error instanceof ThreadError ? error.at : stack
  logger.error({ name: error instanceof Error ? error.name : 'unknown', at: place }, 'request failed')
}
