import { type Gap, overtakenKey, readOvertaken, withGap } from '@llm-gateway/protocol'
import type { KeyValue } from '@llm-gateway/sdk'

export type OvertakenNotesOptions = {
  readonly stream: string
  /** The bucket of sinks. */
  readonly store: () => KeyValue
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/** Gaps of streams that were made anew while the bus took no note. */
const MOST_WAITING = 16

/** Notes on the bus what this sink was overtaken by: the gateway tells it, and it outlives the sink's counters. */
export class OvertakenNotes {
  readonly #options: OvertakenNotesOptions
  #waiting: readonly Gap[] = []
  #writing: Promise<void> | undefined

  constructor(options: OvertakenNotesOptions) {
    this.#options = options
  }

  add(gap: Gap): void {
    const last = this.#waiting.at(-1)
    // A bus that takes no note for long has one line of them all the same.
    if (last?.created === gap.created) {
      const sum: Gap = { ...last, to: gap.to, count: last.count + gap.count }
      this.#waiting = [...this.#waiting.slice(0, -1), sum]
    } else this.#waiting = [...this.#waiting, gap].slice(-MOST_WAITING)
  }

  /** Never rejects; what the bus doesn't take now is written by a later call. */
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
    // A gap that grew meanwhile is written as a whole: what is noted of it isn't counted again.
    if (outcome.kind === 'written' && this.#waiting === waiting) this.#waiting = []
  }
}
