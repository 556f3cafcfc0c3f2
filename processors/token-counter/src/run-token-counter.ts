import type { TokenCounterConfig } from '@llm-gateway/conf'
import { DEFAULT_BUS_PREFIX, processorSubject } from '@llm-gateway/protocol'
import {
  type BusOptions,
  busOptions,
  connectBus,
  type Logger,
  type ProcessorEnvironment,
  serveProcessor,
  stopped,
} from '@llm-gateway/sdk'
import { createCaps, usedTokensInMemory } from './caps.ts'
import { createEstimator } from './estimator.ts'
import { createTokenCounter } from './token-counter.ts'
import { compileUsage } from './usage.ts'

export type TokenCounterProgram = {
  readonly config: TokenCounterConfig
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
  const place = planTokenCounter(program)
  if (place === undefined) return 1
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

/** Where a checked configuration finds the bus; undefined, with the reason logged, where the token counter can't start with it. */
export function planTokenCounter(
  program: Pick<TokenCounterProgram, 'config' | 'environment' | 'logger'>,
): BusOptions | undefined {
  const place = busOptions(program.environment, program.config.service_bus)
  const validation_errors = { 'tokencounter_config.service_bus.hostname': 'address:' }
  if (place === undefined) program.logger.error({ validation_errors }, 'configuration file validation failed')
  return place
}

function subjectOf({ PROCESSOR_SUBJECT, BUS_PREFIX }: ProcessorEnvironment): string {
  return PROCESSOR_SUBJECT || processorSubject(BUS_PREFIX || DEFAULT_BUS_PREFIX, 'tokencounter')
}
