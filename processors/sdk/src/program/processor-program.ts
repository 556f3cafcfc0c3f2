import { failureOf, SettingsError } from '@llm-gateway/conf/failure'
import type { BusClient } from '../bus/bus.ts'
import { connectBus } from '../bus/nats-bus.ts'
import { type Processor, serveProcessor } from '../messages/serve-processor.ts'
import { withDeadline, withinTime } from '../wait.ts'
import { DeferredKeyValues, unavailableKeyValue } from './deferred-key-value.ts'
import type { ProcessorContext, RunningProcessor } from './definition.ts'
import { rejectSettings, type SettingsPlace, settingsRoot } from './load-settings.ts'
import type { ProcessorPlan } from './plan-processor.ts'
import { createProcessorMetrics, type ProcessorMetrics } from './processor-metrics.ts'
import type { ProcessorPort } from './processor-port.ts'
import { stopped } from './stop-signal.ts'

export type ProgramOptions<Settings extends object> = SettingsPlace<Settings> & {
  readonly settings: Settings
  readonly plan: ProcessorPlan
  /** Aborted when the program is asked to end. */
  readonly signal: AbortSignal
  /** The longest wait, after the signal, for messages in work. */
  readonly drainTimeoutMs?: number
}

/** Drain, close and the bus's 5 s together take less than the 30 s that Kubernetes gives a pod to end. */
const DRAIN_TIMEOUT_MS = 20_000
const CLOSE_TIMEOUT_MS = 3_000

/** A processor's program from start to end. */
export class ProcessorProgram<Settings extends object> {
  readonly #options: ProgramOptions<Settings>
  readonly #metrics: ProcessorMetrics
  readonly #keyValues = new DeferredKeyValues()
  /** Ends the wait for the bus. */
  readonly #ending = new AbortController()
  #bus: BusClient | undefined
  #processor: Processor | undefined
  #running: RunningProcessor | undefined

  constructor(options: ProgramOptions<Settings>) {
    this.#options = options
    const { name, version } = options.definition
    const state = () => ({ connected: this.#bus?.connected === true, load: this.#processor?.load })
    this.#metrics = createProcessorMetrics(name, version, state)
    options.signal.addEventListener('abort', () => this.#ending.abort(), { once: true })
    if (options.signal.aborted) this.#ending.abort()
  }

  /** Counts a rejected promise that no code awaits. */
  countRejection(): void {
    this.#metrics.backgroundFailure()
  }

  /** Runs until the signal aborts and all received messages are answered; returns the exit code. */
  async run(): Promise<number> {
    const { signal } = this.#options
    const port = await this.#openPort()
    // Both run at the same time, since `create` may read the store, which needs the bus.
    const connecting = this.#connect()
    const running = await Promise.race([this.#create(this.#keyValues.open.bind(this.#keyValues)), stopped(signal)])
    if (running === undefined) this.#ending.abort()
    const bus = await connecting
    if (running !== undefined && bus !== undefined) await this.#serve(running, bus)
    if (running !== undefined) await this.#close(running)
    await bus?.close()
    await port?.close()
    return signal.aborted ? 0 : 1
  }

  /** Starts and closes the processor without the bus; returns 0 when it would start. */
  async validate(): Promise<number> {
    const running = await Promise.race([this.#create(() => unavailableKeyValue), stopped(this.#options.signal)])
    if (running === undefined) return 1
    await this.#close(running)
    return 0
  }

  async #openPort(): Promise<ProcessorPort | undefined> {
    const { plan, logger } = this.#options
    if (plan.port === undefined) return undefined
    // Loaded lazily: a processor without a port saves some megabytes.
    const { openProcessorPort } = await import('./processor-port.ts')
    const ready = () => this.#ready
    const metrics = () => this.#metrics.registry.metrics()
    return await openProcessorPort({ ...plan.port, logger, ready, metrics })
  }

  get #ready(): boolean {
    const serves = this.#bus?.connected === true && this.#processor?.ready === true
    return serves && this.#running?.ready?.() !== false && !this.#ending.signal.aborted
  }

  async #connect(): Promise<BusClient | undefined> {
    const { plan, logger, definition } = this.#options
    this.#bus = await connectBus({ ...plan.bus, name: definition.name, logger, signal: this.#ending.signal })
    if (this.#bus !== undefined) this.#keyValues.connected(this.#bus)
    return this.#bus
  }

  async #create(keyValue: ProcessorContext['keyValue']): Promise<RunningProcessor | undefined> {
    const { settings, environment, logger, signal } = this.#options
    const metrics = this.#metrics.registry
    return await createProcessor(this.#options, settings, { environment, logger, metrics, keyValue, signal })
  }

  async #serve(running: RunningProcessor, bus: BusClient): Promise<void> {
    const { definition, plan, logger, signal, drainTimeoutMs = DRAIN_TIMEOUT_MS } = this.#options
    const { subject } = plan
    const { counted } = this.#metrics
    const answer = running.answer.bind(running)
    const large = running.large === undefined ? {} : { large: running.large }
    const { concurrency, ofRouter } = running
    const own = {
      ...(concurrency === undefined ? {} : { concurrency }),
      ...(ofRouter === undefined ? {} : { ofRouter }),
    }
    const limits = { ...definition.limits, ...own }
    const processor = await serveProcessor({ ...limits, ...large, bus, subject, logger, answer, counted })
    this.#processor = processor
    this.#running = running
    if (!signal.aborted) logger.info({ subject }, 'processor initialized')
    await Promise.race([stopped(signal), bus.closed])
    const drained = processor.drain().then(() => true)
    if ((await withinTime(drained, drainTimeoutMs)) === true) return
    const messages = processor.load.running + processor.load.waiting
    logger.warn({ messages }, 'processor ends with messages in work')
  }

  async #close(running: RunningProcessor): Promise<void> {
    try {
      await this.#processor?.close()
      await withDeadline(Promise.resolve(running.close?.()), CLOSE_TIMEOUT_MS)
    } catch (error) {
      this.#options.logger.warn(failureOf(error), 'processor not closed')
    }
  }
}

/** Starts a processor by its definition; undefined, with the reason logged, when the start fails. */
async function createProcessor<Settings extends object>(
  place: SettingsPlace<Settings>,
  settings: Settings,
  context: ProcessorContext,
): Promise<RunningProcessor | undefined> {
  try {
    return await place.definition.create(settings, context)
  } catch (error) {
    if (error instanceof SettingsError) {
      const root = settingsRoot(place.definition)
      const reasons = Object.entries(error.reasons).map(([path, reason]) => [`${root}.${path}`, reason])
      return rejectSettings(place, Object.fromEntries(reasons))
    }
    place.logger.error(failureOf(error), 'processor could not start')
    return undefined
  }
}
