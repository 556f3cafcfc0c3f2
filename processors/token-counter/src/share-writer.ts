import { type KeyValue, type Logger, withinTime } from '@llm-gateway/sdk'

export type ShareWriterOptions = {
  readonly keyValue: Pick<KeyValue, 'put'>
  readonly logger: Pick<Logger, 'warn' | 'info'>
  /** Whether nobody asks for this key any more: it needs no further try. */
  readonly isOver: (key: string) => boolean
}

/** Answers come by the hundred a second; the others need not see each of them. */
const GATHER_MS = 100
const AGAIN_MS = 1_000
const LAST_WRITE_MS = 2_000

/** Writes the newest value of each key, gathered for a moment; what fails is tried again until it is over. */
export class ShareWriter {
  readonly #options: ShareWriterOptions
  /** Holds one value for each key that isn't over. */
  readonly #waiting = new Map<string, Uint8Array>()
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> | undefined
  /** Why the last write failed: each reason is told once. */
  #failing: string | undefined
  #closed = false

  constructor(options: ShareWriterOptions) {
    this.#options = options
  }

  /** Returns at once. */
  write(key: string, value: Uint8Array): void {
    this.#waiting.set(key, value)
    this.#later(GATHER_MS)
  }

  /** Writes what waits, once, within 2 s. */
  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    await withinTime(this.#writing?.then(() => this.#writeAll()) ?? this.#writeAll(), LAST_WRITE_MS)
  }

  #later(milliseconds: number): void {
    if (this.#closed || this.#timer !== undefined || this.#writing !== undefined) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      // Has no failure of its own: a store never rejects.
      this.#writing = this.#writeAll().then(() => this.#written())
    }, milliseconds).unref()
  }

  #written(): void {
    this.#writing = undefined
    for (const key of this.#waiting.keys()) if (this.#options.isOver(key)) this.#waiting.delete(key)
    if (this.#waiting.size > 0) this.#later(this.#failing === undefined ? GATHER_MS : AGAIN_MS)
  }

  async #writeAll(): Promise<void> {
    const batch = [...this.#waiting]
    this.#waiting.clear()
    const outcomes = await Promise.all(batch.map(([key, value]) => this.#put(key, value)))
    const failed = outcomes.find((error) => error !== undefined)
    if (failed !== this.#failing) this.#say(failed)
    this.#failing = failed
  }

  async #put(key: string, value: Uint8Array): Promise<string | undefined> {
    const outcome = await this.#options.keyValue.put(key, value)
    if (outcome.kind === 'written') return undefined
    // A newer one may have come meanwhile.
    if (!this.#waiting.has(key)) this.#waiting.set(key, value)
    return outcome.kind === 'failed' ? outcome.error : outcome.kind
  }

  #say(failed: string | undefined): void {
    if (failed === undefined) this.#options.logger.info({}, 'used tokens shared again')
    else this.#options.logger.warn({ reason: failed }, 'used tokens not shared')
  }
}
