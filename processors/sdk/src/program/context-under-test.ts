import { Registry } from 'prom-client'
import { unavailableKeyValue } from './deferred-key-value.ts'
import type { ProcessorContext } from './definition.ts'
import { journalLogger } from './journal-logger-under-test.ts'

/** Makes a processor's context for tests, without a bus unless `keyValue` is given, and with its log. */
export function contextUnderTest(given: Partial<Omit<ProcessorContext, 'logger'>> = {}): ProcessorContext & {
  readonly log: ReturnType<typeof journalLogger>
} {
  const log = journalLogger()
  return {
    environment: {},
    logger: log.logger,
    metrics: new Registry(),
    keyValue: () => unavailableKeyValue,
    signal: new AbortController().signal,
    ...given,
    log,
  }
}
