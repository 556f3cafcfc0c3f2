import { failureOf } from '@llm-gateway/conf/failure'
import type { Logger } from '../logger.ts'

/** The events of `process` that `followBackground` listens to. */
export type FailureSource = {
  on(event: 'unhandledRejection' | 'uncaughtException', listener: (error: unknown) => void): unknown
}

export type BackgroundOptions = {
  readonly logger: Logger
  /** Called after a promise was rejected that no code awaits. */
  readonly rejected: () => void
  /** Called after an uncaught exception; the program must end. */
  readonly broken: () => void
}

/**
 * Follows failures outside of any answer. A rejected promise loses only its own work, so the processor goes on. An
 * uncaught exception may leave other work half done, so the processor answers the messages it has and ends.
 */
export function followBackground(source: FailureSource, { logger, rejected, broken }: BackgroundOptions): void {
  source.on('unhandledRejection', (error) => {
    logger.error(failureOf(error), 'background work of the processor failed')
    rejected()
  })
  source.on('uncaughtException', (error) => {
    logger.error(failureOf(error), 'uncaught exception, processor ends')
    broken()
  })
}
