import type { Logger } from '@llm-gateway/conf'
import type { OutputLine } from './log-line.ts'
import type { OrphanGuard } from './orphan-guard.ts'
import type { OutputPace } from './output.ts'
import { Service } from './service.ts'
import type { ServicePlan } from './service-plan.ts'
import { startProcess } from './service-process.ts'
import type { ServiceState } from './state-file.ts'
import { type Content, contentOf, type UnusableCode, watchContent } from './watch-content.ts'

export type SupervisorOptions = {
  readonly services: readonly ServicePlan[]
  readonly maxStarts: number
  readonly logger: Logger
  readonly onLine: (line: OutputLine) => void
  /** How fast `onLine` takes lines; without limit where absent. */
  readonly pace?: OutputPace
  /** Called when the services begin to stop, for whatever reason. */
  readonly onStopping?: () => void
  readonly now: () => number
  readonly onState: (name: string, state: ServiceState) => void
  readonly watchIntervalMs: number
  readonly guard?: OrphanGuard | undefined
  /** The milliseconds that an optional service waits once it failed too often; 60 s where absent. */
  readonly waitMs?: number
}

export type Supervisor = {
  /** Resolves after every child has ended: `stopped` after stop(), `failed` when a service was given up. */
  readonly finished: Promise<'stopped' | 'failed'>
  /** Stops the services in reverse order. */
  stop(): void
  /**
   * Restarts a service, killing it after five seconds where it doesn't end; the start doesn't count towards max_starts.
   */
  restart(name: string): Promise<void>
  /** Kills all services at once. */
  kill(): void
}

/**
 * Starts the services in order, each once the service before is healthy or optional and late, and restarts those that end
 * (docs/reference/ginit-config.md).
 */
export function supervise(options: SupervisorOptions): Supervisor {
  const services = options.services.map((plan) => new Service(plan, options))
  const ending = Promise.withResolvers<'stopped' | 'failed'>()
  const watching = new AbortController()
  return {
    finished: superviseUntil(ending, services, options, watching),
    stop: () => ending.resolve('stopped'),
    restart: async (name) => {
      await services.find(({ plan }) => plan.name === name)?.restart()
    },
    kill: () => {
      ending.resolve('stopped')
      watching.abort()
      for (const service of services) service.kill()
    },
  }
}

async function superviseUntil(
  ending: PromiseWithResolvers<'stopped' | 'failed'>,
  services: readonly Service[],
  options: SupervisorOptions,
  watching: AbortController,
): Promise<'stopped' | 'failed'> {
  const { logger } = options
  const running: Running[] = []
  let isEnding = false
  const end = ending.promise.then((result) => {
    isEnding = true
    options.onStopping?.()
    return result
  })
  for (const service of services) {
    // A file on a share that hangs must not delay the end.
    const watched = await Promise.race([watchedContent(service.plan), end])
    if (typeof watched === 'string' || isEnding) break
    const started = start(service, () => ending.resolve('failed'))
    running.push(started)
    await Promise.race([started.healthy, started.late, end])
    if (isEnding) break
    // Rejects only for a bug, which ends the process.
    void watchService({ service, options, known: watched, signal: watching.signal })
  }
  // Never rejects.
  void logStart(running, logger, () => isEnding)
  const result = await end
  watching.abort()
  for (const { service, ended } of running.toReversed()) {
    logger.info({ name: service.plan.name }, 'stopping service')
    await service.stop()
    await ended
  }
  return result
}

type Running = {
  readonly service: Service
  /** Resolves once the service was healthy for the first time. */
  readonly healthy: Promise<void>
  /** Resolves once an optional service failed too often or did not become healthy in time. */
  readonly late: Promise<void>
  readonly wasHealthy: () => boolean
  readonly ended: Promise<void>
}

function start(service: Service, onGivenUp: () => void): Running {
  const [healthy, late] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let wasHealthy = false
  const onHealthy = () => {
    wasHealthy = true
    healthy.resolve()
  }
  const ended = service.run({ onHealthy, onLate: late.resolve }).then((result) => {
    if (result === 'given up') onGivenUp()
  })
  return { service, healthy: healthy.promise, late: late.promise, wasHealthy: () => wasHealthy, ended }
}

/** Logs that all services are healthy. While optional ones are late, a line before it names them. */
async function logStart(running: readonly Running[], logger: Logger, isEnding: () => boolean): Promise<void> {
  const services = running.length
  await Promise.all(running.map(({ healthy, late }) => Promise.race([healthy, late])))
  const without = running.flatMap(({ service, wasHealthy }) => (wasHealthy() ? [] : [service.plan.name]))
  if (without.length > 0 && !isEnding()) logger.warn({ services, without }, 'services healthy without optional ones')
  await Promise.all(running.map(({ healthy }) => healthy))
  if (!isEnding()) logger.info({ services }, 'all services healthy')
}

async function watchedContent({ watchedFile }: ServicePlan): Promise<Content> {
  return watchedFile === undefined ? { kind: 'missing' } : await contentOf(watchedFile)
}

type ServiceWatch = {
  readonly service: Service
  readonly options: SupervisorOptions
  readonly known: Content
  readonly signal: AbortSignal
}

async function watchService({ service, options, known, signal }: ServiceWatch): Promise<void> {
  const { plan } = service
  const { logger } = options
  const { name, watchedFile: file } = plan
  if (file === undefined) return
  const onChange = async () => {
    const valid = await validateService(plan, options, signal)
    if (signal.aborted) return
    if (!valid)
      return logger.error(
        { name, file },
        'the changed configuration file is not valid; the service keeps its old configuration',
      )
    logger.info({ name, file }, 'the configuration file changed; the service restarts')
    await service.reload()
  }
  const onUnusable = (code: UnusableCode) =>
    logger.error({ name, file, code }, 'the configuration file cannot be read; the service keeps its old configuration')
  await watchContent({ file, known, intervalMs: options.watchIntervalMs, signal, onChange, onUnusable })
}

const LIMIT_MS = 60_000

/**
 * Resolves with true where a service would start with its current file, or has no validation; the validation's output
 * has the reasons.
 */
async function validateService(
  plan: ServicePlan,
  { onLine, pace }: Pick<SupervisorOptions, 'onLine' | 'pace'>,
  signal: AbortSignal,
): Promise<boolean> {
  if (plan.validation === undefined) return true
  const validator = { ...plan, command: plan.validation, healthyOutput: '' }
  const process = startProcess(validator, (stream, text) => onLine({ service: plan.name, stream, text }), pace)
  const limit = AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)])
  limit.addEventListener('abort', process.kill)
  if (limit.aborted) process.kill()
  const exit = await process.exited
  limit.removeEventListener('abort', process.kill)
  return exit.code === 0
}
