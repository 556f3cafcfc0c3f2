import { busOptions, connectBus, type Logger, type ProcessorEnvironment, stopped } from '@llm-gateway/sdk'
import { chooseWriter } from './choose-writer.ts'
import { startSink } from './sink.ts'
import type { SinkConfig } from './sink-config.ts'
import type { Writer } from './writer.ts'

export type SinkProgram = {
  readonly config: SinkConfig
  /** `nats2log` or `nats2file`. */
  readonly service: string
  readonly environment: ProcessorEnvironment
  readonly logger: Logger
  /** Asks the program to end. */
  readonly signal: AbortSignal
}

const INITIALIZED = 'sink initialized'
const INVALID = 'configuration file validation failed'

/** Runs a sink until it is asked to end and everything received is written; the program's exit code. */
export async function runSink(program: SinkProgram): Promise<number> {
  const { config, logger, signal } = program
  const { mode } = config
  const choice = await chooseWriter(config)
  switch (choice.kind) {
    case 'writer':
      return await serve(choice.writer, program)
    case 'not configured':
      logger.warn({ mode }, 'sink not configured')
      return await idle(logger, signal)
    case 'not available':
      logger.warn({ mode }, 'writer not available')
      return await idle(logger, signal)
    case 'invalid':
      logger.error({ validation_errors: { [choice.field]: choice.reason } }, INVALID)
      return 1
    default:
      return choice satisfies never
  }
}

async function serve(writer: Writer, { config, service, environment, logger, signal }: SinkProgram): Promise<number> {
  const place = busOptions(environment, config.service_bus)
  if (place === undefined) {
    logger.error({ validation_errors: { 'service_bus.hostname': 'address:' } }, INVALID)
    return 1
  }
  const bus = await connectBus({ ...place, name: service, logger, signal })
  if (bus === undefined) return 0
  const subject = config.service_bus.topic_exact_logger
  const retry = { retries: config.retries, retryDelayMs: config.retry_delay_milliseconds }
  const sink = await startSink({ bus, subject, service, writer, logger, ...retry })
  if (!signal.aborted) logger.info({ mode: config.mode, subject }, INITIALIZED)
  await Promise.race([stopped(signal), bus.closed])
  await sink.drain()
  await bus.close()
  return signal.aborted ? 0 : 1
}

/** Healthy without work to do: the supervisor starts every sink, wanted or not. */
async function idle(logger: Logger, signal: AbortSignal): Promise<number> {
  // Waiting for a signal alone doesn't keep a process alive.
  const alive = setInterval(() => undefined, 2 ** 30)
  logger.info({}, INITIALIZED)
  await stopped(signal)
  clearInterval(alive)
  return 0
}
