import { Registry } from 'prom-client'
import type { ProcessorContext } from './definition.ts'
import { journalLogger } from './journal-logger-under-test.ts'
import { unavailableKeyValue } from './late-key-value.ts'

/** For tests: what a processor is created with, without a bus unless `keyValue` brings one, and the log it writes. */
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
