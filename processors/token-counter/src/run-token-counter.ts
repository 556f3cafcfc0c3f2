import { DEFAULT_BUS_PREFIX, processorSubject } from '@llm-gateway/protocol'
import {
  type BusSettings,
  busOptions,
  connectBus,
  type Logger,
  type ProcessorEnvironment,
  serveProcessor,
  stopped,
} from '@llm-gateway/sdk'
import { createCaps, type TokenCaps, usedTokensInMemory } from './caps.ts'
import { createEstimator } from './estimator.ts'
import { createTokenCounter } from './token-counter.ts'
import { compileUsage, type UsageFields } from './usage.ts'

/** What the token counter reads of a checked `tokencounter_config.json` (wire, 1.2). */
export type TokenCounterSettings = {
  readonly service_bus: BusSettings
  readonly cap_period_seconds: number
  readonly token_caps: TokenCaps
  readonly usage_fields: UsageFields
}

export type TokenCounterProgram = {
  readonly config: TokenCounterSettings
  readonly environment: ProcessorEnvironment
  readonly logger: Logger
  /** Asks the program to end. */
  readonly signal: AbortSignal
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/** Runs the token counter until it is asked to end and everything received is answered; the program's exit code. */
export async function runTokenCounter(program: TokenCounterProgram): Promise<number> {
  const { config, environment, logger, signal, now } = program
  const place = busOptions(environment, config.service_bus)
  if (place === undefined) {
    const validation_errors = { 'service_bus.hostname': 'address:' }
    logger.error({ validation_errors }, 'configuration file validation failed')
    return 1
  }
  const bus = await connectBus({ ...place, name: 'tokencounter', logger, signal })
  if (bus === undefined) return 0
  const estimator = createEstimator()
  const answer = createTokenCounter({
    caps: createCaps({
      tokenCaps: config.token_caps,
      periodSeconds: config.cap_period_seconds,
      usedTokens: usedTokensInMemory(),
    }),
    readUsage: compileUsage(config.usage_fields),
    estimate: estimator.estimate,
    logger,
    now,
  })
  const subject = subjectOf(environment)
  const processor = await serveProcessor({ bus, subject, logger, answer })
  if (!signal.aborted) logger.info({ subject }, 'processor initialized')
  await Promise.race([stopped(signal), bus.closed])
  await processor.drain()
  await estimator.close()
  await bus.close()
  return signal.aborted ? 0 : 1
}

function subjectOf({ PROCESSOR_SUBJECT, BUS_PREFIX }: ProcessorEnvironment): string {
  return PROCESSOR_SUBJECT || processorSubject(BUS_PREFIX || DEFAULT_BUS_PREFIX, 'tokencounter')
}
