import { SINKS_BUCKET } from '@llm-gateway/protocol'
import {
  type BusClient,
  type ConsumerStart,
  type KeyValue,
  type Logger,
  type StreamState,
  waitFor,
  withinTime,
} from '@llm-gateway/sdk'
import { type CheckpointStore, createBusCheckpoints } from '../checkpoints/checkpoint-store.ts'
import type { Position } from '../checkpoints/position.ts'
import { writeDeadLetter } from '../dead-letters/write-dead-letter.ts'
import { BackOff } from '../delivery/back-off.ts'
import { deliver } from '../delivery/deliver.ts'
import { OutcomeCounts, type RecordTotals } from '../delivery/outcome-counts.ts'
import { type Patience, Suspects } from '../delivery/suspects.ts'
import { type CoreEnd, type CoreSource, openCoreSource } from '../stream/core-source.ts'
import { LeftRecords } from '../stream/left-records.ts'
import { openConsumer } from '../stream/open-consumer.ts'
import { OvertakenGaps } from '../stream/overtaken-gaps.ts'
import type { BatchLimits, Source } from '../stream/source.ts'
import { streamNames } from '../stream/stream-names.ts'
import { StreamSource } from '../stream/stream-source.ts'
import type { SinkRecord, Writer } from '../targets/writer.ts'

export type SinkOptions = {
  readonly bus: BusClient
  /** The subject of the records. */
  readonly subject: string
  /** The service's name. Replicas of one sink share the records; another sink gets all of them too. */
  readonly service: string
  readonly writer: Writer
  readonly logger: Logger
  readonly limits: BatchLimits
  /** The place where a new sink begins in the stream. */
  readonly start: ConsumerStart
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** Aborted when the sink is asked to end. */
  readonly signal: AbortSignal
  /** The failures after which a record that fails alone is given up; default: those of `Suspects`. */
  readonly patience?: Patience
  /** The time for the last tries and dead letters; default: `DRAIN_MS`. */
  readonly drainMs?: number
}

/** The state that a sink reports. */
export type SinkReport = RecordTotals & {
  readonly ready: boolean
  readonly behindRecords: number
  /** The time at which the stream stored the oldest undelivered record, in milliseconds since the epoch. */
  readonly oldestMs: number | undefined
}

type Settling = Pick<Source, 'settle'>

/** A stream in which the sink has a consumer. */
type OpenStream = { readonly state: StreamState; readonly position: Position }

const REPORT_MS = 60_000
const PROGRESS_MS = 5_000
const STREAM_POLL_MS = 1_000
/** The time for the gateway to make its stream and for a starting bus to open it, before the sink reports none. */
const STREAM_WAIT_MS = 5_000
/** Less than the 30 s after which Kubernetes kills a pod. */
const DRAIN_MS = 20_000
const CLOSE_MS = 2_000
/** The letters that the sink writes at once at its exit: a full memory has more than it could write one by one before it is killed. */
const LETTERS_AT_ONCE = 64
const LETTER_PAUSE_MS = 250
const NO_CONSUMER = 'bus makes no consumer for this sink: records stay in the stream until it does'
const BUCKET = { bucket: SINKS_BUCKET, maxBytes: 1024 * 1024, storage: 'file' } as const

/**
 * A sink that writes the records of a subject: from the bus's stream or, while there is none, as they are published.
 */
export class Sink {
  readonly #options: SinkOptions
  readonly #counts: OutcomeCounts
  readonly #checkpoints: CheckpointStore
  readonly #gaps: OvertakenGaps
  readonly #stream: string
  /** Aborted when the last tries must end; a stream keeps its unwritten records. */
  readonly #givenUp = new AbortController()
  readonly #drainEnded = Promise.withResolvers<void>()
  readonly #backOff = new BackOff(() => performance.now(), Math.random)
  readonly #suspects: Suspects
  readonly #left = new LeftRecords(() => performance.now())
  #drainEndMs = 0
  #core: CoreSource | undefined
  #source: StreamSource | undefined
  #position: Position | undefined
  #last = 0
  /** The records that all replicas of this sink have without an acknowledgement. */
  #unacknowledged = Number.POSITIVE_INFINITY
  #lastWarning = ''
  /** True once the bus has shown a stream of records. */
  #hasStream = false
  /** The time since which the stream exists without a consumer for the sink. */
  #withoutConsumerMs: number | undefined

  constructor(options: SinkOptions) {
    const { bus, writer, service, logger, subject, signal, now } = options
    this.#options = options
    this.#counts = new OutcomeCounts(logger)
    const { patience } = options
    this.#suspects = new Suspects({
      backOff: this.#backOff,
      now: () => performance.now(),
      unacknowledged: () => this.#unacknowledged,
      ...(patience === undefined ? {} : { patience }),
    })
    this.#stream = streamNames(subject).records
    let bucket: KeyValue | undefined
    const store = (): KeyValue => {
      bucket ??= bus.keyValue(BUCKET)
      return bucket
    }
    this.#checkpoints = writer.checkpoints ?? createBusCheckpoints({ stream: this.#stream, sink: service, store })
    this.#gaps = new OvertakenGaps({ stream: this.#stream, store, now })
    const { drainMs = DRAIN_MS } = options
    const giveUp = (): void => {
      this.#drainEndMs = performance.now() + drainMs
      setTimeout(() => this.#givenUp.abort(), drainMs).unref()
      // A try under way may wait for its target for longer than Kubernetes waits for the sink.
      setTimeout(() => this.#drainEnded.resolve(), drainMs + CLOSE_MS).unref()
    }
    if (signal.aborted) giveUp()
    else signal.addEventListener('abort', giveUp, { once: true })
  }

  get report(): SinkReport {
    return {
      ...this.#counts.totals,
      ready: this.#core !== undefined || this.#source !== undefined,
      behindRecords: (this.#position?.behind({ last: this.#last }) ?? 0) + this.#left.size,
      oldestMs: this.#source?.oldestMs,
    }
  }

  /**
   * Runs until the sink is asked to end and its records are written. Calls `initialized` once records arrive or wait in
   * the stream.
   */
  async run(initialized: () => void): Promise<void> {
    const { writer, logger, signal } = this.#options
    const code = await writer.open()
    if (code !== undefined) logger.warn({ code }, 'target of the sink could not be opened')
    const timer = setInterval(() => this.#counts.report(), REPORT_MS)
    let say = initialized
    const once = (): void => {
      say()
      say = () => undefined
    }
    while (!signal.aborted) {
      const stream = await this.#waitForStream(once)
      if (stream !== undefined) await this.#writeStream(stream, once)
    }
    clearInterval(timer)
    await this.#giveUpLeft()
    this.#lost(this.#left.size)
    await withinTime(writer.close(), CLOSE_MS)
    this.#counts.report()
  }

  /** Waits for the stream and meanwhile writes published records. Returns undefined when the sink is asked to end. */
  async #waitForStream(initialized: () => void): Promise<OpenStream | undefined> {
    const { bus, signal, logger, start } = this.#options
    const since = performance.now()
    const hadStream = this.#position !== undefined
    let writing: Promise<void> | undefined
    for (;;) {
      const state = await bus.streams.state(this.#stream)
      // The sink has its consumer before it writes the last published records: a consumer that is made later and starts
      // with new records would miss those of the time between.
      const position = state.kind === 'found' ? await this.#openConsumer(state.value, initialized) : undefined
      if (signal.aborted || position !== undefined || (state.kind === 'found' && start.kind !== 'now')) {
        await this.#endCore(writing, signal.aborted ? 'exit' : 'stream')
      }
      if (signal.aborted) return undefined
      if (state.kind === 'found') {
        if (position !== undefined) return { state: state.value, position }
        await waitFor(STREAM_POLL_MS, signal)
        continue
      }
      const isLate = performance.now() - since > STREAM_WAIT_MS && !(hadStream && state.kind === 'failed')
      // A bus that restarts opens its streams a moment later, and they have the records published meanwhile.
      if (this.#core === undefined && (isLate || !hadStream)) {
        this.#core = await this.#openCore()
        writing = this.#writeFrom(this.#core)
        if (!signal.aborted) initialized()
      }
      const reason = state.kind === 'missing' ? 'NO_STREAM' : state.kind === 'no store' ? 'NO_STORE' : state.code
      if ((isLate || (state.kind === 'no store' && !hadStream)) && this.#lastWarning !== reason) {
        logger.warn(
          { stream: this.#stream, reason },
          'bus keeps no records: those published while this sink is away are lost',
        )
        this.#lastWarning = reason
      }
      await waitFor(STREAM_POLL_MS, signal)
    }
  }

  async #openCore(): Promise<CoreSource> {
    return await openCoreSource({ ...this.#options, counts: this.#counts, leftBytes: () => this.#left.bytes })
  }

  async #endCore(writing: Promise<void> | undefined, reason: CoreEnd): Promise<void> {
    const core = this.#core
    if (core === undefined) return
    await core.end(reason)
    await writing
    for (const record of core.unsettled) this.#left.add(record, 0)
    this.#core = undefined
  }

  #lost(count: number): void {
    if (count > 0) this.#counts.failed(count, 'EXIT')
  }

  /** Returns the sink's position in a stream; undefined: the bus makes no consumer. */
  async #openConsumer(state: StreamState, initialized: () => void): Promise<Position | undefined> {
    const { bus, signal, logger } = this.#options
    this.#hasStream = true
    const place = { ...this.#options, streams: bus.streams, stream: this.#stream, checkpoints: this.#checkpoints }
    this.#position = await openConsumer(state, place)
    if (this.#position !== undefined) {
      this.#withoutConsumerMs = undefined
      return this.#position
    }
    this.#withoutConsumerMs ??= performance.now()
    if (performance.now() - this.#withoutConsumerMs <= STREAM_WAIT_MS || signal.aborted) return undefined
    // On a full disk, say, the sink counts as initialized: waiting for a consumer could take for ever, and the stream
    // loses no record meanwhile.
    if (this.#lastWarning !== 'NO_CONSUMER') logger.warn({ stream: this.#stream, reason: 'NO_CONSUMER' }, NO_CONSUMER)
    this.#lastWarning = 'NO_CONSUMER'
    initialized()
    return undefined
  }

  /** Writes the stream's records until the sink is asked to end or the stream is gone. */
  async #writeStream({ state, position }: OpenStream, initialized: () => void): Promise<void> {
    const { bus, service, signal, logger, limits } = this.#options
    await this.#updateProgress(position)
    if (this.#lastWarning !== '') logger.info({ stream: this.#stream }, 'records come from the stream')
    this.#lastWarning = ''
    const source = new StreamSource({
      streams: bus.streams,
      stream: this.#stream,
      created: state.created,
      consumer: service,
      limits,
    })
    this.#source = source
    const timer = setInterval(() => void this.#updateProgress(position), PROGRESS_MS)
    const stop = (): void => {
      this.#givenUp.abort()
      source.stop()
    }
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
    else initialized()
    await this.#writeFrom(source)
    signal.removeEventListener('abort', stop)
    clearInterval(timer)
    source.close()
    this.#source = undefined
    await this.#checkpoints.save(position)
  }

  /** Reads the stream's state and counts dropped records. Never rejects. */
  async #updateProgress(position: Position): Promise<void> {
    const { bus, service } = this.#options
    const consumer = await bus.streams.consumer(this.#stream, service)
    const state = await bus.streams.state(this.#stream)
    if (consumer.kind !== 'found' || state.kind !== 'found' || state.value.created !== position.created) return
    this.#last = state.value.last
    this.#unacknowledged = consumer.value.unacknowledged
    const overtaken = position.follow(consumer.value, state.value, this.#source?.held ?? new Set())
    if (overtaken !== undefined) {
      this.#counts.overtaken(overtaken)
      this.#gaps.add({ sink: service, created: position.created, ...overtaken })
    }
    await this.#gaps.write()
    await this.#checkpoints.save(position)
  }

  async #writeFrom(own: Source): Promise<void> {
    const source = this.#left.beside(own)
    for (let records = await source.take(); records !== undefined; records = await source.take()) {
      const fresh = this.#withoutRepeats(records, source)
      const delivering = deliver(fresh, {
        writer: this.#options.writer,
        counts: this.#counts,
        delivered: (record) => this.#settled(record, source),
        refuse: (record, code) => this.#refuse(record, code, source),
        postpone: (record, delayMs) => source.postpone(record, delayMs),
        signal: this.#givenUp.signal,
        backOff: this.#backOff,
        suspects: this.#suspects,
        now: () => performance.now(),
        wait: waitFor,
      })
      await Promise.race([delivering, this.#drainEnded.promise])
      if (this.#givenUp.signal.aborted) break
    }
  }

  /** Keeps the left records as dead letters, where the bus does. */
  async #giveUpLeft(): Promise<void> {
    const endMs = CLOSE_MS + Math.max(this.#drainEndMs, performance.now())
    const left = [...this.#left.records]
    const work = async (): Promise<void> => {
      for (let record = left.shift(); record !== undefined && performance.now() < endMs; record = left.shift()) {
        if (await this.#refuse(record, 'EXIT', this.#left)) continue
        left.push(record)
        await waitFor(LETTER_PAUSE_MS, undefined)
      }
    }
    await withinTime(Promise.all(Array.from({ length: LETTERS_AT_ONCE }, work)), endMs - performance.now())
  }

  #withoutRepeats(records: readonly SinkRecord[], source: Source): readonly SinkRecord[] {
    const ids = new Set<string>()
    return records.filter((record) => {
      const { id, sequence, storedMs = 0 } = record
      const isKnown = id !== undefined && (ids.has(id) || this.#checkpoints.seen.has(id))
      const isSettled = sequence !== undefined && this.#position?.has(sequence, storedMs) === true
      if (id !== undefined) ids.add(id)
      if (!isKnown && !isSettled) return true
      this.#counts.repeat()
      this.#acknowledge(record, source)
      return false
    })
  }

  #settled(record: SinkRecord, source: Settling): void {
    if (record.id !== undefined) this.#checkpoints.seen.add(record.id)
    this.#acknowledge(record, source)
  }

  #acknowledge(record: SinkRecord, source: Settling): void {
    if (record.sequence !== undefined) this.#position?.settle(record.sequence, record.storedMs)
    source.settle(record)
    this.#suspects.settled(record)
  }

  async #refuse(record: SinkRecord, code: string, source: Settling): Promise<boolean> {
    const { bus, subject, service, logger } = this.#options
    const keeping = await writeDeadLetter(record, code, { streams: bus.streams, subject, sink: service, logger })
    if (keeping === 'kept') this.#counts.refused(1, code)
    // A bus that keeps no records keeps no dead letters either. A bus with a stream will take the letter later.
    else if (keeping === 'too large' || !this.#hasStream) this.#counts.failed(1, code)
    else return false
    this.#settled(record, source)
    return true
  }
}
