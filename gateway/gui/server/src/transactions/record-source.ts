import type { Logger } from '@llm-gateway/conf'
import { loggerSubject } from '@llm-gateway/protocol'
import {
  type BusClient,
  type BusOptions,
  type BusStreams,
  connectBus,
  readStream,
  type StreamMessage,
  waitFor,
} from '@llm-gateway/sdk'
import { type NamedRecord, openRecordFile, type RecordFile } from './record-file.ts'

export type RecordSourceOptions = {
  readonly bus: BusOptions
  /** The subject of the gateway's records; undefined if it publishes none. */
  readonly subject: string | undefined
  readonly logger: Logger
  /** Finds the file that nats2file writes records to; undefined if there is none. Never rejects. */
  readonly file: () => Promise<string | undefined>
}

/** Bounds of the records that this process keeps while the bus keeps none. */
const MOST_RECENT = 500
const MOST_RECENT_BYTES = 32 * 1024 * 1024
const WINDOW = 256
/** A window exceeds this size only if it is a single larger record. */
const MOST_WINDOW_BYTES = 16 * 1024 * 1024
const LOGGER = loggerSubject('')

/** The time between two looks for the stream while the bus has none. */
const FOLLOW_AGAIN_MS = 1_000

/** The stream that was found last; `created` is undefined while the bus had none. `next` is the first untold record. */
type SeenStream = { readonly created: string | undefined; readonly next: number }

/**
 * Records as they arrive and as the bus keeps them. If the bus keeps none, the history comes from nats2file's file,
 * else from the newest records that arrived here.
 */
export class RecordSource {
  readonly #options: RecordSourceOptions
  readonly #stopping = new AbortController()
  readonly #recent: NamedRecord[] = []
  #recentBytes = 0
  #count = 0
  #bus: BusClient | undefined
  readonly #listeners = new Set<(record: NamedRecord) => void>()
  #following: AbortController | undefined
  /** Not aborted while the listeners get the records of the stream. */
  #tellsStream: AbortSignal | undefined
  /** True once this process subscribes to the records, because the bus keeps none. */
  #remembers = false

  constructor(options: RecordSourceOptions) {
    this.#options = options
  }

  get connected(): boolean {
    return this.#bus?.connected === true
  }

  /** Connects to the bus, however long that takes. Never rejects. */
  async start(): Promise<void> {
    const { bus, logger } = this.#options
    const { signal } = this.#stopping
    const connected = await connectBus({ ...bus, name: 'gui', logger, signal })
    if (connected === undefined) return
    if (signal.aborted) return await connected.close()
    this.#bus = connected
    if (this.#listeners.size > 0) this.#follow()
    if ((await this.kept()) === undefined) await this.#rememberPublished(connected)
  }

  async close(): Promise<void> {
    this.#stopping.abort()
    this.#following?.abort()
    await this.#bus?.close()
  }

  /** Returns the oldest and newest sequence that the bus keeps; undefined if it keeps no records. */
  async kept(): Promise<{ readonly first: number; readonly last: number } | undefined> {
    const state = await this.#bus?.streams.state(this.#stream)
    return state?.kind === 'found' ? { first: state.value.first, last: state.value.last } : undefined
  }

  /**
   * Counts the kept records that a sink hasn't settled; undefined if the sink has no consumer or the bus doesn't tell.
   */
  async behind(sink: string): Promise<number | undefined> {
    const kept = await this.kept()
    const consumer = kept && (await this.#bus?.streams.consumer(this.#stream, sink))
    if (kept === undefined || consumer?.kind !== 'found') return undefined
    return Math.max(0, kept.last - Math.max(consumer.value.floor, kept.first - 1))
  }

  /** Calls `receive` for each new record. The returned function ends the calls. */
  listen(receive: (record: NamedRecord) => void): () => void {
    this.#listeners.add(receive)
    this.#follow()
    return () => {
      this.#listeners.delete(receive)
      if (this.#listeners.size > 0) return
      this.#following?.abort()
      this.#following = undefined
    }
  }

  /** The records kept by this process, newest first. */
  get recent(): readonly NamedRecord[] {
    return this.#recent.toReversed()
  }

  /**
   * Returns records `before` a sequence, at most 256 and 16 MiB, newest first, with the lowest sequence that was read.
   */
  async window(
    before: number,
    first: number,
  ): Promise<{ readonly records: readonly NamedRecord[]; readonly from: number }> {
    for (let size = WINDOW; ; size = Math.ceil(size / 2)) {
      const from = Math.max(first, before - size)
      const records = await this.#range(from, before)
      if (records !== undefined) return { records, from }
    }
  }

  /** Returns records newest first; undefined if they are too large together. */
  async #range(from: number, before: number): Promise<readonly NamedRecord[] | undefined> {
    const streams = this.#bus?.streams
    const records: NamedRecord[] = []
    if (streams === undefined || from >= before) return records
    const reading = new AbortController()
    const signal = AbortSignal.any([reading.signal, this.#stopping.signal])
    const start = { kind: 'sequence', sequence: from } as const
    let bytes = 0
    for await (const message of readStream({ streams, stream: this.#stream, start, follow: false, signal })) {
      if (message.sequence < before) {
        records.push(namedRecord(message))
        bytes += message.bytes.length
      }
      if (message.sequence >= before - 1 || (bytes > MOST_WINDOW_BYTES && before - from > 1)) reading.abort()
    }
    return bytes > MOST_WINDOW_BYTES && before - from > 1 ? undefined : records.toReversed()
  }

  /** Opens the file of nats2file, which the caller closes; undefined if there is none. */
  async file(): Promise<RecordFile | undefined> {
    const path = await this.#options.file()
    return path === undefined ? undefined : await openRecordFile(path)
  }

  /** Returns a record; undefined if it isn't kept any more. */
  async record(id: string): Promise<Uint8Array | undefined> {
    if (id.startsWith('f')) {
      const file = await this.file()
      return await file?.record(id).finally(() => file.close())
    }
    const number = Number(id.slice(1))
    if (id.startsWith('m')) return this.#recent.find((record) => record.id === id)?.bytes
    const found = await this.#bus?.streams.message(this.#stream, number)
    return found?.kind === 'found' ? found.value.bytes : undefined
  }

  get #stream(): string {
    const { subject = '' } = this.#options
    const prefix = subject.endsWith(LOGGER) ? subject.slice(0, -LOGGER.length) : subject
    return `records_${prefix.replaceAll(/[^\w-]/g, '_')}`
  }

  #follow(): void {
    const streams = this.#bus?.streams
    if (this.#following !== undefined || streams === undefined) return
    const following = new AbortController()
    this.#following = following
    // `#followStreams` never rejects.
    void this.#followStreams(streams, following.signal)
  }

  /** Tells the records of the stream, and of each later stream of its name, until the signal. Never rejects. */
  async #followStreams(streams: BusStreams, signal: AbortSignal): Promise<void> {
    let seen: SeenStream | undefined
    while (!signal.aborted) {
      const state = await streams.state(this.#stream)
      if (signal.aborted) return
      // A bus whose JetStream is only off has the stream and its records again later.
      if (state.kind === 'missing') seen ??= { created: undefined, next: 1 }
      if (state.kind === 'found') {
        const { created, last } = state.value
        let next = last + 1
        // A record that the listeners got by the subscription isn't told again.
        if (seen !== undefined && !this.#remembers) next = seen.created === created ? seen.next : 1
        seen = { created, next: await this.#tellStream(streams, next, signal) }
      }
      await waitFor(FOLLOW_AGAIN_MS, signal)
    }
  }

  /** Tells the records of one stream until it ends, and returns the sequence after the last one. Never rejects. */
  async #tellStream(streams: BusStreams, sequence: number, signal: AbortSignal): Promise<number> {
    const start = { kind: 'sequence', sequence } as const
    let next = sequence
    this.#tellsStream = signal
    try {
      for await (const message of readStream({ streams, stream: this.#stream, start, follow: true, signal })) {
        if (signal.aborted) break
        this.#tell(namedRecord(message))
        next = message.sequence + 1
      }
    } catch (error) {
      this.#options.logger.error({ name: String(Object(error).name) }, 'new records could not be read from the bus')
    } finally {
      if (this.#tellsStream === signal) this.#tellsStream = undefined
    }
    return next
  }

  async #rememberPublished(bus: BusClient): Promise<void> {
    const { subject } = this.#options
    if (subject === undefined) return
    this.#remembers = true
    // A queue group of its own, so that other subscribers keep getting all records.
    const queue = `gui-${process.pid}-${Date.now()}`
    await bus.subscribe({ subject, queue, receive: ({ bytes }) => this.#remember(bytes) })
  }

  #remember(bytes: Uint8Array): void {
    this.#count += 1
    const record = { id: `m${this.#count}`, bytes }
    this.#recent.push(record)
    this.#recentBytes += bytes.length
    while (this.#recent.length > MOST_RECENT || (this.#recentBytes > MOST_RECENT_BYTES && this.#recent.length > 1))
      this.#recentBytes -= this.#recent.shift()?.bytes.length ?? 0
    // Once a stream exists, it also delivers the record; listeners must get it once.
    if (this.#tellsStream?.aborted !== false) this.#tell(record)
  }

  #tell(record: NamedRecord): void {
    for (const listener of this.#listeners) listener(record)
  }
}

function namedRecord({ sequence, bytes }: StreamMessage): NamedRecord {
  return { id: `s${sequence}`, bytes }
}
