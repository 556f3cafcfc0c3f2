import type { KeyValue, KeyValueEntry, Logger, WriteOutcome } from '@llm-gateway/sdk'

export type RecorderOptions = {
  readonly keyValue: KeyValue
  readonly logger: Pick<Logger, 'info' | 'warn'>
  /** Told where somebody else's write turned out to be newer than the one made here. */
  readonly newer: (router: string, entry: KeyValueEntry) => void
}

/** The next write of a router; undefined: delete it. */
type NextWrite = { readonly recording: Uint8Array | undefined }

/** Routers that wait to be written at most; where a store hangs, what comes on top isn't shared. */
const MAX_WAITING = 10_000

/**
 * Writes to the bucket behind the answers' back, one router after the other. Of a router only the newest recording is
 * written: however slow the store, a router costs one place in the queue.
 */
export class Recorder {
  readonly #options: RecorderOptions
  readonly #waiting = new Map<string, NextWrite>()
  /** The newest entries of others for routers that wait to be written. */
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

  /** Whether the router waits to be written; what was told of it is looked at when it has been. */
  meanwhile(router: string, entry: KeyValueEntry | undefined): boolean {
    if (!this.#waiting.has(router)) return false
    if (entry !== undefined) this.#othersEntries.set(router, entry)
    return true
  }

  /** Resolves once nothing waits to be written. */
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
      // Recorded again meanwhile: to the end of the queue.
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

  /** Once a reason; `unavailable` the key-value store tells itself. */
  #note(reason: string | undefined): void {
    if (reason === this.#refused) return
    this.#refused = reason
    if (reason === undefined) this.#options.logger.info({}, 'recordings shared again')
    else if (reason !== 'unavailable') this.#options.logger.warn({ reason }, 'recording not shared')
  }
}
