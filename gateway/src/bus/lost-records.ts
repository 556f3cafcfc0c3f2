import type { Logger } from '@llm-gateway/conf'

export type LostRecordsOptions = {
  readonly logger: Pick<Logger, 'info' | 'warn'>
  readonly nowMs: () => number
}

const QUIET_MS = 5_000

/** What the log says of lost records: that it begins, how it goes on, that it is over, and the numbers at the end. */
export class LostRecords {
  readonly #options: LostRecordsOptions
  readonly #total = new Map<string, number>()
  /** Since the last line. */
  #untold = new Map<string, number>()
  /** When the last line was written; undefined while nothing is being lost. */
  #toldAtMs: number | undefined

  constructor(options: LostRecordsOptions) {
    this.#options = options
  }

  /** The first ones are told at once, the next ones by `look`. */
  add(count: number, reason: string): void {
    for (const counts of [this.#total, this.#untold]) counts.set(reason, (counts.get(reason) ?? 0) + count)
    if (this.#toldAtMs === undefined) this.#warn('records lost')
  }

  /** To be called every now and then; says something at most every 5 s. */
  look(): void {
    if (this.#toldAtMs === undefined || this.#options.nowMs() - this.#toldAtMs < QUIET_MS) return
    if (this.#untold.size > 0) {
      this.#warn('records lost')
    } else {
      this.#toldAtMs = undefined
      this.#options.logger.info({ total: Object.fromEntries(this.#total) }, 'records no longer lost')
    }
  }

  /** The process ends and its metrics with it. */
  end(): void {
    if (this.#total.size > 0) this.#warn('records lost until the end')
  }

  #warn(message: 'records lost' | 'records lost until the end'): void {
    const fields = { lost: Object.fromEntries(this.#untold), total: Object.fromEntries(this.#total) }
    this.#untold = new Map()
    this.#toldAtMs = this.#options.nowMs()
    this.#options.logger.warn(fields, message)
  }
}
