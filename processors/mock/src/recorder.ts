import type { KeyValue, KeyValueEntry, Logger, WriteOutcome } from '@llm-gateway/sdk'

export type RecorderOptions = {
  readonly keyValue: KeyValue
  readonly logger: Pick<Logger, 'info' | 'warn'>
  /** Called when another replica's write proves to be newer than this process's own. */
  readonly newer: (router: string, entry: KeyValueEntry) => void
}

/** The next write of a router; undefined deletes the recording. */
type NextWrite = { readonly recording: Uint8Array | undefined }

/** The maximum of routers that wait to be written. While a store hangs, further recordings aren't shared. */
const MAX_WAITING = 10_000

/**
 * Writes to the bucket in the background, one router after the other. Only the newest recording of a router is written,
 * so a router takes one place in the queue, however slow the store is.
 */
export class Recorder {
  readonly #options: RecorderOptions
  readonly #waiting = new Map<string, NextWrite>()
  /** The newest entries that others wrote for routers in the queue. */
  readonly #othersEntries = new Map<string, KeyValueEntry>()
  #running: Promise<void> | undefined
  #refused: string | undefined

  constructor(options: RecorderOptions) {
    this.#options = options
  }

  put(router: string, recording: Uint8Array): void {
    this.#want(router, { recording })
  }

  delete(router: string): void {
    this.#want(router, { recording: undefined })
  }

  /** Returns whether the router waits to be written; its entry is then compared after the write. */
  meanwhile(router: string, entry: KeyValueEntry | undefined): boolean {
    if (!this.#waiting.has(router)) return false
    if (entry !== undefined) this.#othersEntries.set(router, entry)
    return true
  }

  /** Resolves once the queue is empty. */
  async idle(): Promise<void> {
    await this.#running
  }

  #want(router: string, wanted: NextWrite): void {
    if (!this.#waiting.has(router) && this.#waiting.size >= MAX_WAITING) {
      this.#note('behind')
      return
    }
    this.#waiting.set(router, wanted)
    this.#running ??= this.#run()
  }

  async #run(): Promise<void> {
    for (let [first] = this.#waiting; first !== undefined; [first] = this.#waiting) {
      const [router, wanted] = first
      const outcome = await this.#write(router, wanted)
      this.#note(outcome.kind === 'failed' ? outcome.error : undefined)
      const newest = this.#waiting.get(router)
      this.#waiting.delete(router)
      // The router was recorded again during the write, so it goes to the end of the queue.
      if (newest !== undefined && newest !== wanted) this.#waiting.set(router, newest)
      else this.#settle(router, outcome)
    }
    this.#running = undefined
  }

  async #write(router: string, { recording }: NextWrite): Promise<WriteOutcome> {
    const { keyValue } = this.#options
    return recording === undefined ? await keyValue.delete(router) : await keyValue.put(router, recording)
  }

  #settle(router: string, outcome: WriteOutcome): void {
    const theirs = this.#othersEntries.get(router)
    this.#othersEntries.delete(router)
    if (theirs === undefined || outcome.kind !== 'written' || theirs.revision <= outcome.revision) return
    this.#options.newer(router, theirs)
  }

  /** Logs each reason once; the key-value store logs `unavailable` itself. */
  #note(reason: string | undefined): void {
    if (reason === this.#refused) return
    this.#refused = reason
    if (reason === undefined) this.#options.logger.info({}, 'recordings are written to the key-value store again')
    else if (reason !== 'unavailable')
      this.#options.logger.warn({ reason }, 'recording could not be written to the key-value store')
  }
}
