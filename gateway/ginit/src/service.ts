import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from '@llm-gateway/conf'
import type { Guard } from './guard.ts'
import type { OutputLine } from './log-line.ts'
import type { ServicePlan } from './service-plan.ts'
import { type ServiceProcess, startProcess } from './service-process.ts'
import type { ServiceState } from './state-file.ts'

export type ServiceDependencies = {
  readonly logger: Logger
  readonly line: (line: OutputLine) => void
  readonly now: () => number
  readonly maxStarts: number
  /** Told how a service is, at each change. */
  readonly note: (name: string, state: ServiceState) => void
  /** undefined: whoever kills this process ends its services too. */
  readonly guard?: Guard | undefined
}
export type ServiceEnd = 'stopped' | 'given up'

/** A nats-server whose streams are locked up never ends on SIGTERM. */
const RESTART_MS = 5_000

/** One service: its program is started again when it ends, until `stop` or until it ends too often. */
export class Service {
  readonly plan: ServicePlan
  readonly #dependencies: ServiceDependencies
  readonly #starts: StartLimit
  readonly #stopping = new AbortController()
  #process: ServiceProcess | undefined
  #reloading = false

  constructor(plan: ServicePlan, dependencies: ServiceDependencies) {
    this.plan = plan
    this.#dependencies = dependencies
    this.#starts = createStartLimit(dependencies.maxStarts, dependencies.now)
  }

  /** Runs it; `healthy` is called after each start that got as far as its healthy_output. Never rejects. */
  async keepUp(healthy: () => void): Promise<ServiceEnd> {
    const { logger } = this.#dependencies
    const { name } = this.plan
    let counted = true
    while (!this.#stopping.signal.aborted) {
      if (counted && !this.#starts.admit()) {
        logger.error({ name, max_starts: this.#dependencies.maxStarts }, 'service started too often')
        return 'given up'
      }
      const end = await this.#runOnce(healthy)
      counted = end === 'failed'
      if (counted && this.plan.diePromise) {
        logger.error({ name }, 'service with die_promise is not healthy')
        return 'given up'
      }
      if (counted) await this.#pause()
    }
    return 'stopped'
  }

  /** SIGTERM, then SIGKILL; settles when nothing of it runs any more. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#process?.stop()
  }

  kill(): void {
    this.#stopping.abort()
    this.#process?.kill()
  }

  /** Starts it anew with its changed file; such a start doesn't count towards max_starts. */
  async reload(): Promise<void> {
    // Between two runs there is nothing to stop: the next one reads the file as it is now.
    if (this.#process === undefined) return
    this.#reloading = true
    await this.#process.stop()
  }

  /** The same for one that may not end by itself any more. */
  async restart(): Promise<void> {
    const running = this.#process
    const limit = setTimeout(() => running?.kill(), RESTART_MS)
    await this.reload()
    clearTimeout(limit)
  }

  async #runOnce(healthy: () => void): Promise<'stopped' | 'reloaded' | 'failed'> {
    const { logger, line, now, note, guard } = this.#dependencies
    const { name, startTimeoutMs } = this.plan
    const began = now()
    note(name, 'starting')
    const process = startProcess(this.plan, (stream, text) => line({ service: name, stream, text }))
    this.#process = process
    if (process.pid !== undefined) guard?.add(process.pid)
    const health = await process.health
    if (health === 'healthy') {
      logger.info({ name, pid: process.pid, seconds: Math.round(now() - began) / 1000 }, 'service healthy')
      note(name, 'healthy')
      healthy()
    }
    if (health === 'silent') {
      logger.error({ name, start_timeout_ms: startTimeoutMs }, 'service did not become healthy in time')
      await process.stop()
    }
    const exit = await process.exited
    this.#process = undefined
    note(name, 'ended')
    if (process.pid !== undefined) guard?.remove(process.pid)
    if (this.#stopping.signal.aborted) return 'stopped'
    if (this.#reloading) {
      this.#reloading = false
      return 'reloaded'
    }
    logger.error({ name, ...exit }, 'service ended')
    return 'failed'
  }

  async #pause(): Promise<void> {
    try {
      await delay(this.#starts.delayMs(), undefined, { signal: this.#stopping.signal })
    } catch (error) {
      // Stopped meanwhile: the loop sees it.
      if (!this.#stopping.signal.aborted) throw error
    }
  }
}

const WINDOW_MS = 60_000
const FIRST_DELAY_MS = 250
const LONGEST_DELAY_MS = 5_000

type StartLimit = {
  /** Counts one start; false when that is more than `maxStarts` within 60 s. */
  admit(): boolean
  /** How long to wait before the next start: a little more for each start of the last 60 s. */
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
