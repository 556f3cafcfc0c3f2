import type { Logger } from '@llm-gateway/conf'
import { MESSAGE_TOO_LARGE, type PublishAnswer, readPublishAnswer, type StoreCode } from './publish-answer.ts'
import type { RecordConnection } from './record-connection.ts'
import { QueuedRecord } from './record-line.ts'
import type { RecordMessage } from './record-message.ts'
import type { RecordQueue } from './record-queue.ts'
import type { RecordStream } from './record-stream.ts'
import type { ServerMessage } from './server-frames.ts'

/** Whether the bus keeps records; `failing`: it did, and doesn't now. */
export type StreamState = 'unknown' | 'on' | 'off' | 'missing' | 'failing'

export type RecordOutletOptions = {
  readonly connection: RecordConnection
  readonly queue: RecordQueue
  /** undefined: records aren't kept, a PONG that follows them is all there is. */
  readonly stream: RecordStream | undefined
  readonly logger: Pick<Logger, 'info' | 'warn'>
  /** The record as the bus takes it now; undefined when no cut makes it fit. */
  readonly fit: (message: RecordMessage) => RecordMessage | undefined
  readonly tooLarge: (record: QueuedRecord) => void
  /** Records left the queue: the stream has them (`stored`), or a PONG came after them. */
  readonly released: (count: number, stored: boolean) => void
  /** What is known by another token than ours; true where somebody knows it. */
  readonly foreignAnswer: (token: string, answer: PublishAnswer) => boolean
  /** The bus takes records from now on. */
  readonly ready: () => void
  readonly answerTimeoutMs: number
}

/** At most this much is on its way at once, or a slow bus would have the whole queue a second time in the socket's buffer. */
const WINDOW_BYTES = 4 * 1024 * 1024
const WINDOW_RECORDS = 1_000
/** Fewer bytes wait this long for company: one write for all records of a few turns. */
const FULL_BATCH_BYTES = 256 * 1024
const LINGER_MS = 5
const LOOK_MS = 250
/** A socket whose buffer is full is tried again. */
const FULL_SOCKET_MS = 20
const FIRST_RETRY_MS = 250
const LONGEST_RETRY_MS = 5_000
/** A bus without JetStream is asked for it again. */
const MISSING_RETRY_MS = 10_000

/**
 * Publishes what waits in the queue, in order. A record leaves the queue when the stream has acknowledged it, each by its
 * own answer; on a bus that keeps nothing, when a PONG came after it. What has no answer, or a refusal, is sent again under
 * the same id, after the stream has been looked for again.
 */
export class RecordOutlet {
  /** Nothing waits for company. */
  hurried = false
  readonly #options: RecordOutletOptions
  readonly #look: NodeJS.Timeout
  #keeping: 'asking' | 'stream' | 'pong'
  #state: StreamState
  #code: StoreCode | undefined
  #maxStoredBytes = Number.POSITIVE_INFINITY
  #isAsking = false
  #isStalled = false
  /** Since when nothing is sent, while nothing is. */
  #awaySinceMs = performance.now()
  #retryMs = FIRST_RETRY_MS
  /** Batches are published and PONGs awaited. */
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

  /** Why the bus keeps nothing. */
  get code(): StoreCode | undefined {
    return this.#code
  }

  /** What is published now is stored, or followed by a PONG. */
  get isReady(): boolean {
    return this.#keeping !== 'asking'
  }

  /** Each record has an answer of its own. */
  get isAnswered(): boolean {
    return this.#keeping !== 'pong'
  }

  /** For so long nothing has been heard of what was sent, or nothing could be sent. */
  get silentMs(): number {
    const { connection, queue } = this.#options
    const isAway = this.#isStalled || this.#keeping === 'asking' || !connection.connected
    const since = isAway ? this.#awaySinceMs : queue.oldestSent?.sentMs
    return since === undefined ? 0 : performance.now() - since
  }

  /** What was sent is elsewhere: nothing more is, until the bus says a word. */
  stall(): void {
    if (this.#isStalled || this.#keeping !== 'stream') return
    this.#awaySinceMs = this.#options.queue.oldestSent?.sentMs ?? performance.now()
    this.#isStalled = true
  }

  /** Somebody else's record was refused, or had no answer. */
  doubt(code: StoreCode): void {
    if (this.#keeping === 'stream') this.#askBecause(code)
  }

  /** Bytes of headers and payload that the stream takes of one record. */
  get maxStoredBytes(): number {
    return this.#maxStoredBytes
  }

  /** Sends what waits, in a moment. */
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
    // A bus that doesn't let us ask for its stream has one all the same.
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

  /** Something went wrong with what was sent: all of it waits, in its order, until the stream was looked for. */
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
    // Never rejects: ensure doesn't.
    this.#retry = setTimeout(() => void this.#ask(), afterMs)
    this.#retry.unref()
  }

  async #ask(): Promise<void> {
    const { connection, stream } = this.#options
    if (stream === undefined || this.#isAsking || !connection.connected) return
    this.#isAsking = true
    const outcome = await stream.ensure(connection)
    this.#isAsking = false
    // The next connection asks for itself.
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

  /** Today's bus never had a stream: records go to those who listen. */
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

  /** Told once for each cause until it is over. */
  #failing(code: StoreCode): void {
    const { logger, stream } = this.#options
    if (this.#code !== code) logger.warn({ stream: stream?.name, code }, 'bus does not keep records now')
    if (this.#state === 'on') this.#state = 'failing'
    this.#code = code
  }
}
