import { waitFor, withinTime } from '@llm-gateway/sdk'
import type { Tally } from './tally.ts'
import { type Attempt, allFailed, type SinkRecord, type Writer } from './writer.ts'

export type DeliveryOptions = {
  readonly writer: Writer
  readonly tally: Tally
  /** Tries after the first. */
  readonly retries: number
  readonly retryDelayMs: number
  /** Records that wait or are being written, bytes; what comes beyond is lost and counted as QUEUE_FULL. */
  readonly queueBytes: number
  /** Told of each record once it is safe or lost. */
  readonly settled?: (record: SinkRecord, isDelivered: boolean) => void
  /** Default: the clock's. */
  readonly wait?: typeof waitFor
}

/** For a try that is under way when time is up. */
const LAST_TRY_MS = 2_000
/** A target that asks for more is asked again all the same: by then the queue fills up. */
const MAX_RETRY_AFTER_MS = 60_000

/** Brings records to a writer: in batches, with retries, from a bounded queue. */
export class Delivery {
  readonly #options: DeliveryOptions
  readonly #stop = new AbortController()
  #queue: SinkRecord[] = []
  #bytes = 0
  #writing = 0
  #scheduled = false
  #idle: (() => void)[] = []

  constructor(options: DeliveryOptions) {
    this.#options = options
  }

  /** Takes a record; returns at once. */
  take(record: SinkRecord): void {
    const { length } = record.bytes
    if (this.#bytes + length > this.#options.queueBytes) {
      this.#options.tally.failed(1, 'QUEUE_FULL')
      this.#options.settled?.(record, false)
      return
    }
    this.#bytes += length
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

  #nextBatch(): readonly SinkRecord[] {
    const { records, bytes } = this.#options.writer.batch
    let count = 0
    let size = 0
    for (const record of this.#queue) {
      if (count === records || (count > 0 && size + record.bytes.length > bytes)) break
      count += 1
      size += record.bytes.length
    }
    return this.#queue.splice(0, count)
  }

  async #deliver(batch: readonly SinkRecord[]): Promise<void> {
    const { writer, retries, retryDelayMs, wait = waitFor } = this.#options
    let rest = batch
    for (let retry = 0; ; retry++) {
      const attempt = await written(writer, rest)
      rest = this.#settle(rest, attempt, retry < retries)
      if (rest.length === 0) return
      const delayMs = Math.max(retryDelayMs, Math.min(attempt.retryAfterMs ?? 0, MAX_RETRY_AFTER_MS))
      if (!(await wait(delayMs, this.#stop.signal))) return this.#giveUp(rest, 'EXIT')
    }
  }

  /** Counts what a try brought to an end; what is left for another. */
  #settle(tried: readonly SinkRecord[], { failed }: Attempt, mayRetry: boolean): readonly SinkRecord[] {
    const rest = failed.filter(({ again }) => again && mayRetry).map(({ record }) => record)
    this.#bytes -= sizeOf(tried) - sizeOf(rest)
    this.#options.tally.delivered(tried.length - failed.length)
    const lost = failed.filter(({ again }) => !(again && mayRetry))
    for (const [code, count] of countByCode(lost)) this.#options.tally.failed(count, code)
    this.#tell(
      lost.map(({ record }) => record),
      false,
    )
    const unsafe = new Set(failed.map(({ record }) => record))
    this.#tell(
      tried.filter((record) => !unsafe.has(record)),
      true,
    )
    return rest
  }

  #giveUp(records: readonly SinkRecord[], code: string): void {
    this.#bytes -= sizeOf(records)
    this.#options.tally.failed(records.length, code)
    this.#tell(records, false)
  }

  #tell(records: readonly SinkRecord[], isDelivered: boolean): void {
    for (const record of records) this.#options.settled?.(record, isDelivered)
  }

  #abandon(): void {
    const records = this.#queue.splice(0)
    if (records.length > 0) this.#giveUp(records, 'EXIT')
    this.#stop.abort()
  }
}

/** A writer that throws has met a record that it has no answer to: that one is lost, those beside it aren't. */
async function written(writer: Writer, records: readonly SinkRecord[]): Promise<Attempt> {
  try {
    return await writer.write(records)
  } catch {
    if (records.length === 1) return allFailed(records, { code: 'UNWRITABLE', again: false })
    const attempts: Attempt[] = []
    for (const record of records) attempts.push(await written(writer, [record]))
    return { failed: attempts.flatMap(({ failed }) => failed) }
  }
}

function sizeOf(records: readonly SinkRecord[]): number {
  return records.reduce((sum, { bytes }) => sum + bytes.length, 0)
}

function countByCode(failed: Attempt['failed']): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { code } of failed) counts.set(code, (counts.get(code) ?? 0) + 1)
  return counts
}
