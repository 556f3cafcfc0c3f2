import { waitFor, withinTime } from '@llm-gateway/sdk'
import type { Tally } from './tally.ts'
import type { Attempt, Writer } from './writer.ts'

export type DeliveryOptions = {
  readonly writer: Writer
  readonly tally: Tally
  /** Tries after the first. */
  readonly retries: number
  readonly retryDelayMs: number
  /** Records that wait or are being written, bytes; what comes beyond is lost and counted as QUEUE_FULL. */
  readonly queueBytes: number
}

/** For a try that is under way when time is up. */
const LAST_TRY_MS = 2_000

/** Brings records to a writer: in batches, with retries, from a bounded queue. */
export class Delivery {
  readonly #options: DeliveryOptions
  readonly #stop = new AbortController()
  #queue: Uint8Array[] = []
  #bytes = 0
  #writing = 0
  #scheduled = false
  #idle: (() => void)[] = []

  constructor(options: DeliveryOptions) {
    this.#options = options
  }

  /** Takes a record; returns at once. */
  take(record: Uint8Array): void {
    if (this.#bytes + record.length > this.#options.queueBytes) {
      this.#options.tally.failed(1, 'QUEUE_FULL')
      return
    }
    this.#bytes += record.length
    this.#queue.push(record)
    if (this.#scheduled) return
    this.#scheduled = true
    // Not at once: the rest of what one read from the socket brought belongs to the same batch.
    setImmediate(() => this.#start())
  }

  /** Resolves when everything taken is delivered or given up; what isn't by `timeoutMs` is given up as EXIT. */
  async drain(timeoutMs: number): Promise<void> {
    const timer = setTimeout(() => this.#abandon(), timeoutMs)
    await withinTime(this.#untilIdle(), timeoutMs + LAST_TRY_MS)
    clearTimeout(timer)
  }

  #start(): void {
    this.#scheduled = false
    while (this.#queue.length > 0 && this.#writing < this.#options.writer.concurrency) {
      this.#writing += 1
      // Has no failure of its own: a writer never rejects.
      void this.#deliver(this.#nextBatch()).then(() => this.#ended())
    }
  }

  #ended(): void {
    this.#writing -= 1
    this.#start()
    if (this.#queue.length === 0 && this.#writing === 0) for (const resolve of this.#idle.splice(0)) resolve()
  }

  async #untilIdle(): Promise<void> {
    if (this.#queue.length > 0 || this.#writing > 0) await new Promise<void>((resolve) => this.#idle.push(resolve))
  }

  #nextBatch(): readonly Uint8Array[] {
    const { records, bytes } = this.#options.writer.batch
    let count = 0
    let size = 0
    for (const record of this.#queue) {
      if (count === records || (count > 0 && size + record.length > bytes)) break
      count += 1
      size += record.length
    }
    return this.#queue.splice(0, count)
  }

  async #deliver(batch: readonly Uint8Array[]): Promise<void> {
    const { writer, retries, tally } = this.#options
    let rest = batch
    for (let retry = 0; ; retry++) {
      const attempt = await writer.write(rest)
      this.#count(rest.slice(0, attempt.delivered))
      tally.delivered(attempt.delivered)
      rest = rest.slice(attempt.delivered)
      if (rest.length === 0) return
      if (retry >= retries || attempt.failure?.again !== true) return this.#giveUp(rest, attempt)
      if (!(await waitFor(this.#options.retryDelayMs, this.#stop.signal))) return this.#giveUp(rest, EXIT)
    }
  }

  #giveUp(records: readonly Uint8Array[], attempt: Attempt): void {
    this.#count(records)
    this.#options.tally.failed(records.length, attempt.failure?.code ?? 'UNKNOWN')
  }

  #count(gone: readonly Uint8Array[]): void {
    for (const record of gone) this.#bytes -= record.length
  }

  #abandon(): void {
    const records = this.#queue.splice(0)
    if (records.length > 0) this.#giveUp(records, EXIT)
    this.#stop.abort()
  }
}

const EXIT: Attempt = { delivered: 0, failure: { code: 'EXIT', again: false } }
