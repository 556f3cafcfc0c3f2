import { MESSAGE_ID_HEADER } from '@llm-gateway/protocol'
import { type BusStreams, type Pull, type PullEnd, type StreamMessage, waitFor } from '@llm-gateway/sdk'
import type { SinkRecord } from '../targets/writer.ts'
import { heldBytes, ownBytes } from './held-record.ts'
import { RecordQueue } from './record-queue.ts'
import { type BatchLimits, SOURCE_BYTES, type Source } from './source.ts'

export type StreamSourceOptions = {
  readonly streams: Pick<BusStreams, 'pull'>
  readonly stream: string
  /** The stream's creation time, a part of the ids of records without one of their own. */
  readonly created: string
  readonly consumer: string
  readonly limits: BatchLimits
}

/** The interval of `keep`: the bus delivers an unacknowledged message again 10 s after its delivery or last `keep`. */
const KEEP_MS = 3_000
const PULL_WAIT_MS = 10_000
const LOST_DELAY_MS = 250

/** The functions that answer a message. A whole message would keep its headers in memory. */
type Hold = Pick<StreamMessage, 'timeMs' | 'acknowledge' | 'keep' | 'release'>
type UnsettledMessage = { hold: Hold; readonly bytes: number }

/**
 * The records of a stream. An unsettled record stays reserved for this sink; a record that is never settled is
 * delivered again.
 */
export class StreamSource implements Source {
  readonly #options: StreamSourceOptions
  readonly #queue: RecordQueue
  /** Unsettled messages by sequence; a repeated delivery is the same record. */
  readonly #unsettled = new Map<number, UnsettledMessage>()
  readonly #keeping: NodeJS.Timeout
  readonly #closing = new AbortController()
  #unsettledBytes = 0
  #pull: Pull | undefined
  #isGone = false
  /** True: the last pull has received a message. */
  #hasReceived = false

  constructor(options: StreamSourceOptions) {
    this.#options = options
    this.#queue = new RecordQueue(options.limits)
    this.#keeping = setInterval(() => {
      for (const { hold } of this.#unsettled.values()) hold.keep()
    }, KEEP_MS)
  }

  /** Sequences of the records that are neither settled nor given back. */
  get held(): ReadonlySet<number> {
    return new Set(this.#unsettled.keys())
  }

  /** The time at which the stream stored the oldest held record, in milliseconds since the epoch. */
  get oldestMs(): number | undefined {
    const [first] = this.#unsettled.values()
    return first?.hold.timeMs
  }

  async take(): Promise<readonly SinkRecord[] | undefined> {
    for (;;) {
      if (this.#closing.signal.aborted) return undefined
      if (this.#queue.length > 0) {
        const records = await this.#queue.gather(() => this.#closing.signal.aborted)
        if (records.length > 0) return records
        // `stop` has emptied the queue, and nothing would wake this wait again.
        continue
      }
      if (this.#isGone) return undefined
      this.#ask()
      await this.#queue.change()
    }
  }

  settle(record: SinkRecord): void {
    this.#remove(record)?.acknowledge()
    this.#ask()
  }

  /** Gives the record back to the bus, so that it takes no memory while it waits. */
  postpone(record: SinkRecord, delayMs: number): void {
    this.#remove(record)?.release(delayMs)
    this.#ask()
  }

  /**
   * Ends `take`, and gives the records that it has not returned back to the bus. The others stay reserved: the target may
   * have them already, and a replica of the sink would write them again.
   */
  stop(): void {
    this.#closing.abort()
    this.#pull?.close()
    for (const record of this.#queue.clear()) this.#remove(record)?.release()
    this.#queue.wake()
  }

  /** Gives all unsettled records back to the bus. */
  close(): void {
    this.stop()
    clearInterval(this.#keeping)
    for (const { hold } of this.#unsettled.values()) hold.release()
    this.#unsettled.clear()
  }

  /** Removes a record from those held; undefined when the bus has stored another one in its place. */
  #remove({ sequence = 0, storedMs }: SinkRecord): Hold | undefined {
    const held = this.#unsettled.get(sequence)
    if (held === undefined || held.hold.timeMs !== storedMs) return undefined
    this.#unsettled.delete(sequence)
    this.#unsettledBytes -= held.bytes
    return held.hold
  }

  /** Pulls more records when there is room for the largest answer. */
  #ask(): void {
    const hasRoom = this.#unsettledBytes <= SOURCE_BYTES && this.#queue.length < this.#options.limits.records
    if (this.#pull !== undefined || this.#isGone || !hasRoom || this.#closing.signal.aborted) return
    const { streams, stream, consumer, limits } = this.#options
    this.#hasReceived = false
    this.#pull = streams.pull({
      stream,
      consumer,
      messages: limits.records,
      bytes: SOURCE_BYTES,
      waitMs: PULL_WAIT_MS,
      receive: (message) => this.#receive(message),
    })
    // `ended` never rejects.
    void this.#pull.ended.then((end) => this.#ended(end))
  }

  async #ended(end: PullEnd): Promise<void> {
    // Without a connection, or if the bus refuses the request, each pull ends at once.
    const isRefused = end === 'full' && !this.#hasReceived
    if (end === 'lost' || isRefused) await waitFor(LOST_DELAY_MS, this.#closing.signal)
    this.#pull = undefined
    if (end === 'gone') this.#isGone = true
    this.#ask()
    this.#queue.wake()
  }

  #receive(message: StreamMessage): void {
    this.#hasReceived = true
    const { sequence, timeMs, acknowledge, keep, release } = message
    const held = this.#unsettled.get(sequence)
    const hold = { timeMs, acknowledge, keep, release }
    if (held?.hold.timeMs === timeMs) {
      held.hold = hold
      return
    }
    // A killed bus may have lost a held record and stored another one in its place; both are written.
    this.#unsettledBytes -= held?.bytes ?? 0
    if (this.#closing.signal.aborted) {
      release()
      return
    }
    const id = message.header(MESSAGE_ID_HEADER) ?? `${this.#options.created}-${sequence}`
    const record = { bytes: ownBytes(message.bytes), id, sequence, storedMs: timeMs }
    const bytes = heldBytes(record)
    this.#unsettled.set(sequence, { hold, bytes })
    this.#unsettledBytes += bytes
    this.#queue.add(record)
  }
}
