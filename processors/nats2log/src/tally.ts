import type { Logger } from '@llm-gateway/sdk'

/** Counts what became of the records and says so: one line per report, and one at once for each new reason of a loss. */
export class Tally {
  readonly #logger: Logger
  #delivered = 0
  #repeats = 0
  /** Lost records by reason code; the codes are the system's and HTTP's, so there are few. */
  readonly #failed = new Map<string, number>()
  readonly #saidSinceReport = new Set<string>()
  #reported = ''

  constructor(logger: Logger) {
    this.#logger = logger
  }

  delivered(count: number): void {
    this.#delivered += count
  }

  repeat(): void {
    this.#repeats += 1
  }

  /** Records that are lost. A flood of them is one line now and a total in the next report. */
  failed(count: number, code: string): void {
    this.#failed.set(code, (this.#failed.get(code) ?? 0) + count)
    if (this.#saidSinceReport.has(code)) return
    this.#saidSinceReport.add(code)
    this.#logger.warn({ count, code }, 'records not delivered')
  }

  /** Logs the totals where they changed. */
  report(): void {
    this.#saidSinceReport.clear()
    const failed = Object.fromEntries(this.#failed)
    const totals = { delivered: this.#delivered, failed, repeats: this.#repeats }
    const text = JSON.stringify(totals)
    if (text === this.#reported) return
    this.#reported = text
    this.#logger.info(totals, 'records written')
  }
}
