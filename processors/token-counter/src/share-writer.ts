import { type KeyValue, type Logger, withinTime } from '@llm-gateway/sdk'

export type ShareWriterOptions = {
  readonly keyValue: Pick<KeyValue, 'put'>
  readonly logger: Pick<Logger, 'warn' | 'info'>
  /** Returns whether the key's window is over, so that the key needs no further try. */
  readonly isOver: (key: string) => boolean
}

/** Hundreds of answers come per second; other replicas need not see each of them. */
const GATHER_MS = 100
const AGAIN_MS = 1_000
const LAST_WRITE_MS = 2_000
/** The values that are written at once. After an outage of the store thousands of routers' values may wait. */
const AT_ONCE = 64

/** Writes the newest value of each key, gathered for 100 ms. Retries a failed write until the key's window is over. */
export class ShareWriter {
  readonly #options: ShareWriterOptions
  /** The unwritten values; one for each key whose window isn't over. */
  readonly #waiting = new Map<string, Uint8Array>()
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> | undefined
  /** The reason of the last failed write; each reason is logged once. */
  #failing: string | undefined
  #closed = false

  constructor(options: ShareWriterOptions) {
    this.#options = options
  }

  /** Queues a value for writing. */
  write(key: string, value: Uint8Array): void {
    this.#waiting.set(key, value)
    this.#later(GATHER_MS)
  }

  /** Writes the queue once, within 2 s. */
  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    await withinTime(this.#writing?.then(() => this.#writeAll()) ?? this.#writeAll(), LAST_WRITE_MS)
  }

  #later(milliseconds: number): void {
    if (this.#closed || this.#timer !== undefined || this.#writing !== undefined) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      // A store never rejects, so neither does the chain.
      this.#writing = this.#writeAll().then(() => this.#written())
    }, milliseconds).unref()
  }

  #written(): void {
    this.#writing = undefined
    for (const key of this.#waiting.keys()) if (this.#options.isOver(key)) this.#waiting.delete(key)
    if (this.#waiting.size > 0) this.#later(this.#failing === undefined ? GATHER_MS : AGAIN_MS)
  }

  async #writeAll(): Promise<void> {
    const keys = [...this.#waiting.keys()]
    let failed: string | undefined
    for (let at = 0; at < keys.length && failed === undefined; at += AT_ONCE) {
      const outcomes = await Promise.all(keys.slice(at, at + AT_ONCE).map((key) => this.#put(key)))
      failed = outcomes.find((error) => error !== undefined)
    }
    if (failed !== this.#failing) this.#say(failed)
    this.#failing = failed
  }

  async #put(key: string): Promise<string | undefined> {
    const value = this.#waiting.get(key)
    if (value === undefined) return undefined
    this.#waiting.delete(key)
    const outcome = await this.#options.keyValue.put(key, value)
    if (outcome.kind === 'written') return undefined
    // Keeps a newer value that was added during the write.
    if (!this.#waiting.has(key)) this.#waiting.set(key, value)
    return outcome.kind === 'failed' ? outcome.error : outcome.kind
  }

  #say(failed: string | undefined): void {
    if (failed === undefined) this.#options.logger.info({}, 'used tokens are written to the key-value store again')
    else this.#options.logger.warn({ reason: failed }, 'used tokens could not be written to the key-value store')
  }
}
