import type { Logger } from '@llm-gateway/sdk'
import type { Overtaken } from '../checkpoints/position.ts'

/** The number of records by outcome. */
export type RecordTotals = {
  readonly delivered: number
  /** Kept as dead letters. */
  readonly refused: number
  /** Dropped by the stream before the sink read them. */
  readonly overtaken: number
}

/** A database may send any code of five characters. */
const MOST_CODES = 100
const OTHERS = 'OTHER'

/** Counts outcomes and logs them: one line per report, and a line at once for each new reason. */
export class OutcomeCounts {
  readonly #logger: Logger
  #delivered = 0
  #repeats = 0
  #overtaken = 0
  /** Lost records by reason: codes of the system, of HTTP and of databases. */
  readonly #failed = new Map<string, number>()
  readonly #refused = new Map<string, number>()
  /** The codes logged since the last report, by message: many codes of one message leave room for the others. */
  readonly #logged = new Map<string, Set<string>>()
  #reported = ''

  constructor(logger: Logger) {
    this.#logger = logger
  }

  get totals(): RecordTotals {
    const refused = [...this.#refused.values()].reduce((sum, count) => sum + count, 0)
    return { delivered: this.#delivered, refused, overtaken: this.#overtaken }
  }

  delivered(count: number): void {
    this.#delivered += count
  }

  repeat(): void {
    this.#repeats += 1
  }

  /** Counts lost records. A flood is one line now and a total in the next report. */
  failed(count: number, code: string): void {
    add(this.#failed, code, count)
    this.#logOnce({ count, code }, 'records not delivered')
  }

  /** Counts records that the target will never take and that became dead letters. */
  refused(count: number, code: string): void {
    add(this.#refused, code, count)
    this.#logOnce({ count, code }, 'records refused')
  }

  /** Logs that a try failed and another follows. */
  waiting(count: number, code: string): void {
    this.#logOnce({ count, code }, 'records wait for the target')
  }

  overtaken(gap: Overtaken): void {
    this.#overtaken += gap.count
    this.#logger.warn(gap, 'records dropped by the stream before this sink had them')
  }

  /** Logs the totals when they changed. */
  report(): void {
    this.#logged.clear()
    const totals = {
      delivered: this.#delivered,
      failed: Object.fromEntries(this.#failed),
      repeats: this.#repeats,
      ...(this.#refused.size > 0 ? { refused: Object.fromEntries(this.#refused) } : {}),
      ...(this.#overtaken > 0 ? { overtaken: this.#overtaken } : {}),
    }
    const text = JSON.stringify(totals)
    if (text === this.#reported) return
    this.#reported = text
    this.#logger.info(totals, 'records written')
  }

  #logOnce(fields: { readonly count: number; readonly code: string }, message: string): void {
    const codes = this.#logged.get(message) ?? new Set<string>()
    if (codes.has(fields.code) || codes.size >= MOST_CODES) return
    this.#logged.set(message, codes.add(fields.code))
    this.#logger.warn(fields, message)
  }
}

function add(counts: Map<string, number>, code: string, count: number): void {
  const counted = counts.has(code) || counts.size < MOST_CODES ? code : OTHERS
  counts.set(counted, (counts.get(counted) ?? 0) + count)
}
