import type { Logger } from '@llm-gateway/conf'
import { MESSAGE_TOO_LARGE, type PublishAnswer, readPublishAnswer, type StoreCode } from './publish-answer.ts'
import type { RecordConnection } from './record-connection.ts'
import { QueuedRecord } from './record-line.ts'
import type { RecordMessage } from './record-message.ts'
import type { RecordQueue } from './record-queue.ts'
import type { RecordStream } from './record-stream.ts'
import type { ServerMessage } from './server-frames.ts'

/** The state of the stream on the bus; `failing` where it stored records before and doesn't now. */
export type StreamState = 'unknown' | 'on' | 'off' | 'missing' | 'failing'

export type RecordOutletOptions = {
  readonly connection: RecordConnection
  readonly queue: RecordQueue
  /** undefined where records aren't kept, so that only a PONG confirms them. */
  readonly stream: RecordStream | undefined
  readonly logger: Pick<Logger, 'info' | 'warn'>
  /** Returns the record in a size that the bus takes; undefined when no cut makes it fit. */
  readonly fit: (message: RecordMessage) => RecordMessage | undefined
  readonly tooLarge: (record: QueuedRecord) => void
  /** Records left the queue: the stream has stored them (`stored`), or a PONG followed them. */
  readonly released: (count: number, stored: boolean) => void
  /** Handles an answer with a token of another sender; returns true where the token is known. */
  readonly foreignAnswer: (token: string, answer: PublishAnswer) => boolean
  /** The bus takes records from now on. */
  readonly ready: () => void
  readonly answerTimeoutMs: number
}

/**
 * The most bytes and records on their way at once; otherwise a slow bus would have the whole queue a second time in the
 * socket's buffer.
 */
const WINDOW_BYTES = 4 * 1024 * 1024
const WINDOW_RECORDS = 1_000
/** A smaller batch waits for `LINGER_MS`, so that the records of a few turns share one write. */
const FULL_BATCH_BYTES = 256 * 1024
const LINGER_MS = 5
const LOOK_MS = 250
/** The time in milliseconds after which a full socket is tried again. */
const FULL_SOCKET_MS = 20
const FIRST_RETRY_MS = 250
const LONGEST_RETRY_MS = 5_000
/** The time in milliseconds after which a bus without JetStream is asked again. */
const MISSING_RETRY_MS = 10_000

/**
 * Publishes the records of the queue in order. A record leaves the queue when the stream has acknowledged it, each with
 * its own answer; on a bus without a stream, when a PONG followed it. A record without an answer, or with a refusal, is
 * sent again with the same id, once the stream was found again.
 */
export class RecordOutlet {
  /** True while draining: small batches don't wait. */
  hurried = false
  readonly #options: RecordOutletOptions
  readonly #look: NodeJS.Timeout
  #keeping: 'asking' | 'stream' | 'pong'
  #state: StreamState
  #code: StoreCode | undefined
  #maxStoredBytes = Number.POSITIVE_INFINITY
  #isAsking = false
  #isStalled = false
  /** The `performance.now()` since which nothing is sent; used only while nothing is. */
  #awaySinceMs = performance.now()
  #retryMs = FIRST_RETRY_MS
  /** True while batches are published and PONGs awaited. */
  #running = false
  #linger: NodeJS.Timeout | undefined
  #retry: NodeJS.Timeout | undefined

  constructor(options: RecordOutletOptions) {
    this.#options = options
    const { connection, stream } = options
    this.#keeping = stream === undefined ? 'pong' : 'asking'
    this.#state = stream === undefined ? 'off' : 'unknown'
    connection.onConnected(() => this.#connected())
    connection.onDisconnected(() => this.#disconnected())
    connection.onAnswers((answers) => this.#answered(answers))
    this.#look = setInterval(() => this.#lookForSilence(), LOOK_MS)
    this.#look.unref()
  }

  get state(): StreamState {
    return this.#state
  }

  /** The reason why the bus stores nothing. */
  get code(): StoreCode | undefined {
    return this.#code
  }

  /** True where a record published now is stored, or confirmed by a PONG. */
  get isReady(): boolean {
    return this.#keeping !== 'asking'
  }

  /** True where each record gets an answer of its own. */
  get isAnswered(): boolean {
    return this.#keeping !== 'pong'
  }

  /** The milliseconds for which sent records have had no answer, or nothing could be sent. */
  get silentMs(): number {
    const { connection, queue } = this.#options
    const isAway = this.#isStalled || this.#keeping === 'asking' || !connection.connected
    const since = isAway ? this.#awaySinceMs : queue.oldestSent?.sentMs
    return since === undefined ? 0 : performance.now() - since
  }

  /** Stops sending until the bus answers, because the sent records are being moved to the spool. */
  stall(): void {
    if (this.#isStalled || this.#keeping !== 'stream') return
    this.#awaySinceMs = this.#options.queue.oldestSent?.sentMs ?? performance.now()
    this.#isStalled = true
  }

  /** Asks for the stream again, because a record of another sender was refused or had no answer. */
  doubt(code: StoreCode): void {
    if (this.#keeping === 'stream') this.#askBecause(code)
  }

  /** The most bytes of headers and payload that the stream takes of one record. */
  get maxStoredBytes(): number {
    return this.#maxStoredBytes
  }

  /** Sends waiting records, after at most `LINGER_MS`. */
  startSoon(): void {
    if (this.#running || this.#isStalled || this.#keeping === 'asking' || !this.#options.connection.connected) return
    if (this.hurried || this.#options.queue.waitingBytes >= FULL_BATCH_BYTES) this.#start()
    else this.#linger ??= setTimeout(() => this.#start(), LINGER_MS)
  }

  close(): void {
    clearInterval(this.#look)
    clearTimeout(this.#linger)
    clearTimeout(this.#retry)
  }

  #connected(): void {
    if (this.#options.stream === undefined) {
      this.#start()
      this.#options.ready()
    } else this.#askAgain(0)
  }

  #disconnected(): void {
    clearTimeout(this.#retry)
    this.#isStalled = false
    this.#awaySinceMs = performance.now()
    if (this.#options.stream !== undefined) this.#keeping = 'asking'
    this.#options.queue.restore()
  }

  #start(): void {
    clearTimeout(this.#linger)
    this.#linger = undefined
    if (this.#running || this.#isStalled || this.#keeping === 'asking') return
    if (this.#keeping === 'stream') {
      this.#sendWindow(WINDOW_RECORDS)
      return
    }
    this.#running = true
    void this.#publishBatches() // never rejects: publish and flush of the connection don't
  }

  async #publishBatches(): Promise<void> {
    const { connection, queue, released } = this.#options
    while (connection.connected && this.#keeping === 'pong' && queue.waitingCount > 0) {
      this.#sendWindow(Number.POSITIVE_INFINITY)
      if (await connection.flush()) released(queue.acknowledge(), false)
      else queue.restore()
      if (!this.hurried && queue.waitingBytes < FULL_BATCH_BYTES) break
    }
    this.#running = false
    if (queue.waitingCount > 0) this.startSoon()
  }

  #sendWindow(mostRecords: number): void {
    const { connection, queue, fit, tooLarge } = this.#options
    const nowMs = performance.now()
    for (let record = queue.first; record !== undefined && queue.sentCount < mostRecords; record = queue.first) {
      const message = fit(record.message)
      if (message === undefined) {
        queue.removeFirst()
        tooLarge(record)
        continue
      }
      const sent = queue.sentBytes
      if (sent > 0 && sent + message.length > WINDOW_BYTES) return
      if (!connection.publish(message)) {
        this.#linger ??= setTimeout(() => this.#start(), FULL_SOCKET_MS)
        return
      }
      queue.removeFirst()
      queue.markSent(
        message === record.message ? record : new QueuedRecord(message, record.memory, record.madeMs),
        nowMs,
      )
    }
  }

  #answered(answers: readonly ServerMessage[]): void {
    const { connection, queue, stream, released, foreignAnswer } = this.#options
    this.#isStalled = false
    let stored = 0
    for (const message of answers) {
      const token = message.subject.slice(connection.inbox.length)
      const answer = readPublishAnswer(message)
      if (foreignAnswer(token, answer)) continue
      if (answer.kind === 'refused') this.#refused(token, answer.code)
      else if (answer.stream === stream?.name) stored += this.#release(token)
    }
    if (stored > 0) released(stored, true)
    if (queue.waitingCount > 0) this.startSoon()
  }

  #release(token: string): number {
    // A bus can have the stream even where it doesn't let us ask for it.
    if (this.#keeping === 'pong') this.#ready(this.#maxStoredBytes)
    const record = this.#options.queue.takeSent(token)
    if (record === undefined) return 0
    this.#retryMs = FIRST_RETRY_MS
    record.memory?.letGo()
    return 1
  }

  #refused(token: string, code: StoreCode): void {
    const { queue, tooLarge } = this.#options
    if (this.#keeping !== 'stream') return
    if (code === MESSAGE_TOO_LARGE) {
      const record = queue.takeSent(token)
      if (record !== undefined) tooLarge(record)
    } else this.#sendAgain(code, token)
  }

  /** Puts all sent records back into the queue, in order, until the stream was asked for again. */
  #sendAgain(code: StoreCode, token: string): void {
    const { queue } = this.#options
    if (queue.hasSent(token)) this.#askBecause(code)
  }

  #askBecause(code: StoreCode): void {
    this.#keeping = 'asking'
    this.#isStalled = false
    this.#awaySinceMs = performance.now()
    this.#options.queue.restore()
    this.#failing(code)
    this.#askAgain(this.#nextRetryMs())
  }

  #lookForSilence(): void {
    const oldest = this.#options.queue.oldestSent
    if (this.#keeping !== 'stream' || oldest === undefined) return
    if (performance.now() - oldest.sentMs >= this.#options.answerTimeoutMs)
      this.#sendAgain('NO_ANSWER', oldest.message.head.token)
  }

  #nextRetryMs(): number {
    const retryMs = this.#retryMs
    this.#retryMs = Math.min(LONGEST_RETRY_MS, retryMs * 2)
    return retryMs
  }

  #askAgain(afterMs: number): void {
    clearTimeout(this.#retry)
    // `#ask` never rejects, since `ensure` doesn't.
    this.#retry = setTimeout(() => void this.#ask(), afterMs)
    this.#retry.unref()
  }

  async #ask(): Promise<void> {
    const { connection, stream } = this.#options
    if (stream === undefined || this.#isAsking || !connection.connected) return
    this.#isAsking = true
    const outcome = await stream.ensure(connection)
    this.#isAsking = false
    // The next connection asks again.
    if (!connection.connected) return
    if (outcome.kind === 'ready') this.#ready(outcome.maxMessageBytes)
    else if (outcome.kind === 'missing' && (this.#state === 'unknown' || this.#state === 'missing')) {
      this.#missing(outcome.code)
    } else {
      this.#failing(outcome.code)
      this.#askAgain(this.#nextRetryMs())
    }
  }

  #ready(maxMessageBytes: number): void {
    const { logger, stream } = this.#options
    if (this.#state !== 'on') logger.info({ stream: stream?.name }, 'bus keeps records')
    this.#state = 'on'
    this.#code = undefined
    this.#maxStoredBytes = maxMessageBytes
    this.#keeping = 'stream'
    this.#start()
    this.#options.ready()
  }

  /** This bus never had a stream: records go to current subscribers only. */
  #missing(code: StoreCode): void {
    const { logger, stream } = this.#options
    if (this.#code !== code) {
      const means = 'records that nobody reads at once are gone, and one that a PONG followed counts as published'
      logger.warn({ stream: stream?.name, code, means }, 'bus keeps no records')
    }
    this.#state = 'missing'
    this.#code = code
    this.#keeping = 'pong'
    this.#askAgain(MISSING_RETRY_MS)
    this.#start()
    this.#options.ready()
  }

  /** Logs each cause once until it is over. */
  #failing(code: StoreCode): void {
    const { logger, stream } = this.#options
    if (this.#code !== code) logger.warn({ stream: stream?.name, code }, 'bus does not keep records now')
    if (this.#state === 'on') this.#state = 'failing'
    this.#code = code
  }
}
