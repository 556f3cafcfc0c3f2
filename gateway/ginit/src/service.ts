import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from '@llm-gateway/conf'
import type { OutputLine } from './log-line.ts'
import type { OrphanGuard } from './orphan-guard.ts'
import type { OutputPace } from './output.ts'
import type { ServicePlan } from './service-plan.ts'
import { type ServiceProcess, startProcess } from './service-process.ts'
import type { ServiceState } from './state-file.ts'

export type ServiceDependencies = {
  readonly logger: Logger
  readonly onLine: (line: OutputLine) => void
  /** How fast `onLine` takes lines; without limit where absent. */
  readonly pace?: OutputPace
  readonly now: () => number
  readonly maxStarts: number
  /** Called at each change of a service's state. */
  readonly onState: (name: string, state: ServiceState) => void
  /** undefined where the kernel ends the services together with this process. */
  readonly guard?: OrphanGuard | undefined
  /** The milliseconds that an optional service waits once it failed too often; 60 s where absent. */
  readonly waitMs?: number
}
export type ServiceEvents = {
  /** Called after each start that became healthy. */
  readonly onHealthy: () => void
  /**
   * Called when an optional service failed too often and waits, or did not become healthy in time: the services after it
   * don't wait for it.
   */
  readonly onLate: () => void
}
export type ServiceEnd = 'stopped' | 'given up'

/** The milliseconds between SIGTERM and SIGKILL: a nats-server with blocked streams never ends on SIGTERM. */
const RESTART_MS = 5_000

/**
 * A service, whose program is restarted when it ends, until `stop` or until it ends too often. An optional service that
 * ends too often waits and is started again.
 */
export class Service {
  readonly plan: ServicePlan
  readonly #dependencies: ServiceDependencies
  #starts: StartLimit
  readonly #stopping = new AbortController()
  #process: ServiceProcess | undefined
  #reloading = false
  /** Ends the wait of a service that failed too often. */
  #waiting: AbortController | undefined

  constructor(plan: ServicePlan, dependencies: ServiceDependencies) {
    this.plan = plan
    this.#dependencies = dependencies
    this.#starts = createStartLimit(dependencies.maxStarts, dependencies.now)
  }

  /** Runs the service. Never rejects. */
  async run(events: ServiceEvents): Promise<ServiceEnd> {
    const { logger, maxStarts } = this.#dependencies
    const { name, isOptional } = this.plan
    let counted = true
    while (!this.#stopping.signal.aborted) {
      if (counted && !this.#starts.admit()) {
        if (!isOptional) {
          logger.error({ name, max_starts: maxStarts }, 'service failed too often; all services stop')
          return 'given up'
        }
        events.onLate()
        await this.#wait()
        continue
      }
      const end = await this.#runOnce(events)
      counted = end === 'failed'
      if (counted && this.plan.diePromise) {
        logger.error({ name }, 'service with die_promise failed; all services stop')
        return 'given up'
      }
      if (counted) await this.#pause(this.#starts.delayMs(), this.#stopping.signal)
    }
    return 'stopped'
  }

  /** Sends SIGTERM, later SIGKILL; resolves once no process of the service runs. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#process?.stop()
  }

  kill(): void {
    this.#stopping.abort()
    this.#process?.kill()
  }

  /** Restarts the service with its changed file; the start doesn't count towards max_starts. */
  async reload(): Promise<void> {
    // Between two runs no process has to be stopped: the next run reads the current file.
    if (this.#process === undefined) return this.#waiting?.abort()
    this.#reloading = true
    await this.#process.stop()
  }

  /** Restarts a service that may not react to SIGTERM; it is killed after `RESTART_MS`. */
  async restart(): Promise<void> {
    const running = this.#process
    const limit = setTimeout(() => running?.kill(), RESTART_MS)
    await this.reload()
    clearTimeout(limit)
  }

  async #runOnce({ onHealthy, onLate }: ServiceEvents): Promise<'stopped' | 'reloaded' | 'failed'> {
    const { logger, onLine, pace, now, onState, guard } = this.#dependencies
    const { name, startTimeoutMs, isOptional, diePromise } = this.plan
    const began = now()
    onState(name, 'starting')
    const process = startProcess(this.plan, (stream, text) => onLine({ service: name, stream, text }), pace)
    this.#process = process
    if (process.pid !== undefined) guard?.add(process.pid)
    const health = await process.health
    if (health === 'healthy') {
      logger.info({ name, pid: process.pid, seconds: Math.round(now() - began) / 1000 }, 'service healthy')
      onState(name, 'healthy')
      onHealthy()
    }
    if (health === 'silent') {
      logger.error({ name, start_timeout_ms: startTimeoutMs }, 'service did not become healthy in time')
      if (isOptional && !diePromise) onLate()
      await process.stop()
    }
    const exit = await process.exited
    this.#process = undefined
    onState(name, 'ended')
    if (process.pid !== undefined) guard?.remove(process.pid)
    if (this.#stopping.signal.aborted) return 'stopped'
    if (this.#reloading) {
      this.#reloading = false
      return 'reloaded'
    }
    logger.error({ name, ...exit }, 'service ended')
    return 'failed'
  }

  /** Waits until the starts so far no longer count, or until the service's file has changed. */
  async #wait(): Promise<void> {
    const { logger, maxStarts, now, waitMs = WINDOW_MS } = this.#dependencies
    logger.error(
      { name: this.plan.name, max_starts: maxStarts, wait_ms: waitMs },
      'optional service failed too often; it waits and the other services run',
    )
    this.#waiting = new AbortController()
    await this.#pause(waitMs, AbortSignal.any([this.#stopping.signal, this.#waiting.signal]))
    this.#waiting = undefined
    this.#starts = createStartLimit(maxStarts, now)
  }

  /** Resolves after the delay, or once the signal aborts. */
  async #pause(delayMs: number, signal: AbortSignal): Promise<void> {
    try {
      await delay(delayMs, undefined, { signal })
    } catch (error) {
      if (!signal.aborted) throw error
    }
  }
}

const WINDOW_MS = 60_000
const FIRST_DELAY_MS = 250
const LONGEST_DELAY_MS = 5_000

type StartLimit = {
  /** Counts a start; returns false for more than `maxStarts` within 60 s. */
  admit(): boolean
  /** Returns the pause before the next start in milliseconds; the pause doubles with each start of the last 60 s. */
  delayMs(): number
}

/** Counts the starts of a service within 60 s (docs/reference/configuration-rules.md#files-of-the-other-programs). */
export function createStartLimit(maxStarts: number, now: () => number): StartLimit {
  let starts: readonly number[] = []
  const recent = () => starts.filter((start) => now() - start < WINDOW_MS)
  return {
    admit() {
      starts = [...recent(), now()]
      return starts.length <= maxStarts
    },
    delayMs() {
      return Math.min(FIRST_DELAY_MS * 2 ** (Math.max(recent().length, 1) - 1), LONGEST_DELAY_MS)
    },
  }
}
