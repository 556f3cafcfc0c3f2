import { failureOf } from './failure.ts'
import type { Logger } from './logger.ts'

/** The part of `process` this needs. */
export type FailureSource = {
  on(event: 'unhandledRejection' | 'uncaughtException', listener: (error: unknown) => void): unknown
}

export type BackgroundOptions = {
  readonly logger: Logger
  /** A promise that nothing waits for was rejected. */
  readonly rejected: () => void
  /** Something threw where nothing could catch it; the program is to end. */
  readonly broken: () => void
}

/**
 * Follows failures outside of any answer. A rejection has lost its own work only, so the processor goes on; after an
 * exception that nothing caught nobody knows what is left half done, so it answers what it has and ends.
 */
export function followBackground(source: FailureSource, { logger, rejected, broken }: BackgroundOptions): void {
  source.on('unhandledRejection', (error) => {
    logger.error(failureOf(error), 'background work failed')
    rejected()
  })
  source.on('uncaughtException', (error) => {
    logger.error(failureOf(error), 'uncaught exception, processor ends')
    broken()
  })
}
