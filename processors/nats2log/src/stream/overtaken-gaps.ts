import { type Gap, overtakenKey, readOvertaken, withGap } from '@llm-gateway/protocol'
import type { KeyValue } from '@llm-gateway/sdk'

export type OvertakenGapsOptions = {
  readonly stream: string
  /** Opens the bucket of the sinks. */
  readonly store: () => KeyValue
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/** The maximum of unwritten gaps, each of another stream. */
const MOST_WAITING = 16

/**
 * Writes gaps (records that the stream dropped before the sink read them) to the bus, from where the gateway reports
 * them. Unlike the sink's counters, gaps on the bus survive a restart of the sink.
 */
export class OvertakenGaps {
  readonly #options: OvertakenGapsOptions
  #waiting: readonly Gap[] = []
  #writing: Promise<void> | undefined

  constructor(options: OvertakenGapsOptions) {
    this.#options = options
  }

  add(gap: Gap): void {
    const last = this.#waiting.at(-1)
    // Gaps of one stream are summed, so a bus that is away for long leaves one entry.
    if (last?.created === gap.created) {
      const sum: Gap = { ...last, to: gap.to, count: last.count + gap.count }
      this.#waiting = [...this.#waiting.slice(0, -1), sum]
    } else this.#waiting = [...this.#waiting, gap].slice(-MOST_WAITING)
  }

  /** Writes the gaps. Never rejects; unwritten gaps are written by a later call. */
  async write(): Promise<void> {
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined
    })
    await this.#writing
  }

  async #write(): Promise<void> {
    const waiting = this.#waiting
    if (waiting.length === 0) return
    const store = this.#options.store()
    const key = overtakenKey(this.#options.stream)
    const found = await store.get(key)
    if (found.kind === 'failed') return
    const [before, revision] =
      found.kind === 'found' ? [found.entry.value, found.entry.revision] : [new Uint8Array(), 0]
    const nowMs = this.#options.now()
    const notes = waiting.reduce((sum, gap) => withGap(sum, gap, nowMs), readOvertaken(before))
    const outcome = await store.update(key, Buffer.from(JSON.stringify(Object.fromEntries(notes))), revision)
    // A gap that grew meanwhile is written again as a whole; `withGap` doesn't count its noted part twice.
    if (outcome.kind === 'written' && this.#waiting === waiting) this.#waiting = []
  }
}
