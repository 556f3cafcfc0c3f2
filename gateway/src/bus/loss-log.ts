import type { Logger } from '@llm-gateway/conf'

export type LossLogOptions = {
  readonly logger: Pick<Logger, 'info' | 'warn'>
  readonly nowMs: () => number
}

const QUIET_MS = 5_000

/** The log lines about lost records: the first loss, further losses, the end of the losses, and totals at exit. */
export class LossLog {
  readonly #options: LossLogOptions
  readonly #total = new Map<string, number>()
  /** The losses since the last line, by reason. */
  #unlogged = new Map<string, number>()
  /** The time of the last line; undefined while no records are lost. */
  #loggedAtMs: number | undefined

  constructor(options: LossLogOptions) {
    this.#options = options
  }

  /** Counts lost records; the first losses are logged at once, later losses by `logFurther`. */
  add(count: number, reason: string): void {
    for (const counts of [this.#total, this.#unlogged]) counts.set(reason, (counts.get(reason) ?? 0) + count)
    if (this.#loggedAtMs === undefined) this.#warn('records lost')
  }

  /** Logs further losses or their end, at most every 5 s; called periodically. */
  logFurther(): void {
    if (this.#loggedAtMs === undefined || this.#options.nowMs() - this.#loggedAtMs < QUIET_MS) return
    if (this.#unlogged.size > 0) {
      this.#warn('records lost')
    } else {
      this.#loggedAtMs = undefined
      this.#options.logger.info({ total: Object.fromEntries(this.#total) }, 'no further records lost')
    }
  }

  /** Logs the totals when the process ends, since its metrics end too. */
  logTotals(): void {
    if (this.#total.size > 0) this.#warn('records lost before the exit')
  }

  #warn(message: 'records lost' | 'records lost before the exit'): void {
    const fields = { lost: Object.fromEntries(this.#unlogged), total: Object.fromEntries(this.#total) }
    this.#unlogged = new Map()
    this.#loggedAtMs = this.#options.nowMs()
    this.#options.logger.warn(fields, message)
  }
}
