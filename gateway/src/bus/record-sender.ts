import type { Logger } from '@llm-gateway/conf'
import { AnswerWait } from './answer-wait.ts'
import {
  MESSAGE_TOO_LARGE,
  NOBODY_TOOK_IT,
  type PublishAnswer,
  readPublishAnswer,
  type StoreCode,
} from './publish-answer.ts'
import type { RecordConnection } from './record-connection.ts'
import type { QueuedRecord } from './record-fifo.ts'
import type { RecordStream } from './record-stream.ts'
import { SendWindow, type SendWindowOptions } from './send-window.ts'
import type { ServerMessage } from './server-frames.ts'

/** The state of the stream on the bus; `failing` where it stored records before and doesn't now. */
export type StreamState = 'unknown' | 'on' | 'off' | 'missing' | 'failing'

export type RecordSenderOptions = SendWindowOptions & {
  readonly connection: RecordConnection
  /** undefined where records aren't kept, so that only a PONG confirms them. */
  readonly stream: RecordStream | undefined
  readonly logger: Pick<Logger, 'info' | 'warn'>
  readonly onLost: (record: QueuedRecord, reason: 'too_large' | 'no_subscriber') => void
  /** Records left the queue: the stream has stored them (`stored`), or a PONG followed them. */
  readonly onReleased: (count: number, stored: boolean) => void
  /** Handles an answer with a token of another sender; returns true where the token is known. */
  readonly onForeignAnswer: (token: string, answer: PublishAnswer) => boolean
  /** The bus takes records from now on. */
  readonly onReady: () => void
  /** The milliseconds until a record without an answer is sent again, beside the time that its bytes take. */
  readonly answerTimeoutMs: number
}

/** The most records on their way at once. */
const WINDOW_RECORDS = 1_000
/** A smaller batch waits for `LINGER_MS`, so that the records of a few turns share one write. */
const FULL_BATCH_BYTES = 256 * 1024
const LINGER_MS = 5
const SILENCE_CHECK_MS = 250
const FIRST_RETRY_MS = 250
const LONGEST_RETRY_MS = 5_000
/** The time in milliseconds after which a bus without JetStream is asked again. */
const MISSING_RETRY_MS = 10_000

/**
 * Publishes the records of the queue in order. A record leaves the queue when the stream has acknowledged it, each with
 * its own answer; on a bus without a stream, when a PONG followed it. A record without an answer, or with a refusal, is
 * sent again with the same id, once the stream was found again.
 */
export class RecordSender {
  /** True while draining: small batches don't wait. */
  isDraining = false
  readonly #options: RecordSenderOptions
  readonly #window: SendWindow
  readonly #silenceTimer: NodeJS.Timeout
  #confirmation: 'checking' | 'stream' | 'pong'
  #state: StreamState
  #code: StoreCode | undefined
  /** True from a refusal of the records' subject until the bus takes a record. */
  #isForbidden = false
  #maxStoredBytes = Number.POSITIVE_INFINITY
  /** True where the stream tells its largest message. */
  #tellsLimit = false
  /** The limit under which a record was refused for its size; undefined once the limit was read again. */
  #refusingLimit: number | undefined
  /** The limit that a look after such a refusal found unchanged; undefined once a record was stored. */
  #provenLimit: number | undefined
  #isCheckingStream = false
  #looks = 0
  readonly #wait = new AnswerWait()
  #retryMs = FIRST_RETRY_MS
  #stored = 0
  /** True while batches are published and PONGs awaited. */
  #isPublishing = false
  #linger: NodeJS.Timeout | undefined
  #retry: NodeJS.Timeout | undefined

  constructor(options: RecordSenderOptions) {
    this.#options = options
    this.#window = new SendWindow(options)
    const { connection, stream } = options
    this.#confirmation = stream === undefined ? 'pong' : 'checking'
    this.#state = stream === undefined ? 'off' : 'unknown'
    connection.onConnected(() => this.#connected())
    connection.onDisconnected(() => this.#disconnected())
    connection.onForbidden(() => this.#forbidden())
    connection.onAnswers((answers) => this.#takeAnswers(answers))
    this.#silenceTimer = setInterval(() => this.#checkSilence(), SILENCE_CHECK_MS)
    this.#silenceTimer.unref()
  }

  get state(): StreamState {
    return this.#state
  }

  /** The reason why the bus stores nothing. */
  get code(): StoreCode | undefined {
    return this.#isForbidden ? 'NOT_ALLOWED' : this.#code
  }

  /** True where a record published now is stored, or confirmed by a PONG. */
  get isReady(): boolean {
    return this.#confirmation !== 'checking'
  }

  /** True where each record gets an answer of its own. */
  get hasAcknowledgements(): boolean {
    return this.#confirmation !== 'pong'
  }

  /**
   * The milliseconds for which sent records have had no answer, without the time that their bytes usually take, or for
   * which nothing could be sent.
   */
  get silentMs(): number {
    const { connection, queue } = this.#options
    return this.#wait.silentMs(queue.oldestSent, this.#confirmation === 'checking' || !connection.connected)
  }

  /** The bytes of the sent records without an answer. */
  get sentBytes(): number {
    return this.#options.queue.sentBytes
  }

  /** Stops sending until the bus answers, because the sent records are being moved to the spool. */
  stall(): void {
    if (!this.#wait.isStalled && this.#confirmation === 'stream') this.#wait.stall(this.#options.queue.oldestSent)
  }

  /**
   * Sends the records that the spool didn't take. The bus may have answered them meanwhile, or may never answer, so
   * that the sender can't wait for an answer.
   */
  sendAgain(): void {
    if (this.#wait.isStalled) this.#restartWithCheck('NO_ANSWER')
    else this.startSoon()
  }

  /** Notes that a PONG has confirmed records, also those of another sender. */
  noteConfirmed(): void {
    this.#isForbidden = false
    this.#retryMs = FIRST_RETRY_MS
  }

  /** Asks for the stream again, because a record of another sender was refused or had no answer. */
  recheckStream(code: StoreCode): void {
    if (this.#confirmation === 'stream') this.#restartWithCheck(code)
  }

  /** The number of looks at the stream that have begun. */
  get looks(): number {
    return this.#looks
  }

  /** The number of records of the queue that the stream has stored. */
  get storedCount(): number {
    return this.#stored
  }

  /** The most bytes of headers and payload that the stream takes of one record. */
  get maxStoredBytes(): number {
    return this.#maxStoredBytes
  }

  /** True where a look at the stream reads this limit. */
  get canReadLimit(): boolean {
    return this.#tellsLimit
  }

  /** Sends waiting records, after at most `LINGER_MS`. */
  startSoon(): void {
    if (!this.#canStart || !this.#options.connection.connected) return
    if (this.isDraining || this.#options.queue.waitingBytes >= FULL_BATCH_BYTES) this.#start()
    else this.#linger ??= setTimeout(() => this.#start(), LINGER_MS)
  }

  close(): void {
    clearInterval(this.#silenceTimer)
    clearTimeout(this.#linger)
    clearTimeout(this.#retry)
  }

  #connected(): void {
    if (this.#options.stream === undefined) this.#accept('pong')
    else this.#checkStreamIn(0)
  }

  #disconnected(): void {
    clearTimeout(this.#retry)
    this.#wait.stop()
    if (this.#options.stream !== undefined) this.#confirmation = 'checking'
    this.#options.queue.restore()
  }

  get #canStart(): boolean {
    return !this.#isPublishing && !this.#wait.isStalled && this.#confirmation !== 'checking'
  }

  #start(): void {
    clearTimeout(this.#linger)
    this.#linger = undefined
    if (!this.#canStart) return
    if (this.#confirmation === 'stream') this.#sendWindow(this.#isForbidden ? 1 : WINDOW_RECORDS)
    else void this.#publishBatches() // never rejects: publish and flush of the connection don't
  }

  async #publishBatches(): Promise<void> {
    const { connection, queue, onReleased } = this.#options
    this.#isPublishing = true
    while (connection.connected && this.#confirmation === 'pong' && queue.waitingCount > 0) {
      this.#sendWindow(this.#isForbidden ? 1 : Number.POSITIVE_INFINITY)
      if (await connection.flush()) {
        // Records of a forbidden subject wait again by now.
        const count = queue.acknowledge()
        if (count > 0) this.noteConfirmed()
        onReleased(count, false)
      } else queue.restore()
      if (!this.isDraining && queue.waitingBytes < FULL_BATCH_BYTES) break
    }
    this.#isPublishing = false
    if (queue.waitingCount > 0) this.startSoon()
  }

  #sendWindow(maxRecords: number): void {
    const pauseMs = this.#window.send(maxRecords)
    if (pauseMs !== undefined) this.#linger ??= setTimeout(() => this.#start(), pauseMs)
  }

  #takeAnswers(answers: readonly ServerMessage[]): void {
    const { connection, queue, stream, onReleased, onForeignAnswer } = this.#options
    this.#wait.end()
    let stored = 0
    for (const message of answers) {
      const token = message.subject.slice(connection.inbox.length)
      const answer = readPublishAnswer(message)
      // Another stream on the subject may store records, too; only ours keeps them for the sinks.
      if (answer.kind === 'stored' && answer.stream !== stream?.name) continue
      if (answer.kind === 'stored') this.#noteStored()
      if (onForeignAnswer(token, answer)) continue
      if (answer.kind === 'refused') this.#takeRefusal(token, answer.code)
      else stored += this.#release(token)
    }
    if (stored > 0) onReleased(stored, true)
    if (queue.waitingCount > 0) this.startSoon()
  }

  /** Takes an acknowledgement as the answer about the stream: a bus can have a stream and not let us ask for it. */
  #noteStored(): void {
    if (this.#confirmation === 'checking' || this.#state === 'on') return
    this.#isForbidden = false
    this.#ready(this.#maxStoredBytes)
  }

  #release(token: string): number {
    const { queue } = this.#options
    // A path that is slower than expected delivers the answer to a record that waits to be sent again.
    const record = queue.takeSent(token) ?? queue.takeSentBefore(token)
    if (record === undefined) return 0
    this.#retryMs = FIRST_RETRY_MS
    this.#provenLimit = undefined
    this.#stored += 1
    record.memory?.release()
    return 1
  }

  #takeRefusal(token: string, code: StoreCode): void {
    if (this.#confirmation === 'pong' && code === NOBODY_TOOK_IT) this.#lose(token, 'no_subscriber')
    if (this.#confirmation !== 'stream') return
    this.#isForbidden = false
    const isLimitProven = !this.#tellsLimit || this.#provenLimit === this.#maxStoredBytes
    if (code === MESSAGE_TOO_LARGE && isLimitProven) this.#lose(token, 'too_large')
    else this.#resendAfter(code, token)
  }

  #lose(token: string, reason: 'too_large' | 'no_subscriber'): void {
    const record = this.#options.queue.takeSent(token)
    if (record !== undefined) this.#options.onLost(record, reason)
  }

  /** Puts all sent records back into the queue, in order, until the stream was asked for again. */
  #resendAfter(code: StoreCode, token: string): void {
    if (!this.#options.queue.hasSent(token)) return
    // A stream may be given a smaller limit: the record is cut to it once the limit was read again.
    if (code === MESSAGE_TOO_LARGE) this.#refusingLimit = this.#maxStoredBytes
    this.#restartWithCheck(code)
  }

  #restartWithCheck(code: StoreCode): void {
    this.#reportFailing(code)
    this.#restart()
  }

  /** Sends nothing until the stream was asked for again, then all records without an answer. */
  #restart(): void {
    this.#confirmation = 'checking'
    this.#wait.stop()
    this.#options.queue.restore()
    this.#checkStreamIn(this.#nextRetryMs())
  }

  /** Keeps the sent records, which the next PONG would confirm although the bus took none of them. */
  #forbidden(): void {
    if (this.#confirmation === 'checking') return
    this.#isForbidden = true
    if (this.#confirmation === 'stream') this.#reportFailing('NOT_ALLOWED')
    this.#restart()
  }

  #checkSilence(): void {
    const { queue, answerTimeoutMs } = this.#options
    const isSilent = this.#confirmation === 'stream' && this.#wait.isOver(queue.oldestSent, answerTimeoutMs)
    if (isSilent) this.#restartWithCheck('NO_ANSWER')
  }

  #nextRetryMs(): number {
    const retryMs = this.#retryMs
    this.#retryMs = Math.min(LONGEST_RETRY_MS, retryMs * 2)
    return retryMs
  }

  #checkStreamIn(afterMs: number): void {
    clearTimeout(this.#retry)
    // `#checkStream` never rejects, since `ensure` doesn't.
    this.#retry = setTimeout(() => void this.#checkStream(), afterMs)
    this.#retry.unref()
  }

  async #checkStream(): Promise<void> {
    const { connection, stream } = this.#options
    if (this.#isCheckingStream || !connection.connected) return
    if (stream === undefined) {
      this.#accept('pong')
      return
    }
    this.#isCheckingStream = true
    this.#looks += 1
    const outcome = await stream.ensure(connection)
    this.#isCheckingStream = false
    // The next connection asks again.
    if (!connection.connected) return
    this.#tellsLimit = outcome.kind === 'ready'
    if (outcome.kind === 'ready') this.#ready(outcome.maxMessageBytes)
    else if (outcome.kind === 'missing' && (this.#state === 'unknown' || this.#state === 'missing')) {
      this.#reportMissing(outcome.code)
    } else if (outcome.code === 'NOT_ALLOWED') {
      // The stream has stored records before, so that only the answers to records show whether it stores them again.
      this.#accept('stream')
    } else {
      this.#reportFailing(outcome.code)
      this.#checkStreamIn(this.#nextRetryMs())
    }
  }

  #ready(maxMessageBytes: number): void {
    // The gateway may be allowed to ask for the stream and not to publish: only a record shows the end of that.
    if (!this.#isForbidden || this.#state !== 'failing') this.#noteOn()
    this.#provenLimit = this.#refusingLimit === maxMessageBytes ? maxMessageBytes : undefined
    this.#refusingLimit = undefined
    this.#maxStoredBytes = maxMessageBytes
    this.#accept('stream')
  }

  #noteOn(): void {
    const { logger, stream } = this.#options
    if (this.#state !== 'on') logger.info({ stream: stream?.name }, 'bus keeps records')
    this.#state = 'on'
    this.#code = undefined
    this.#isForbidden = false
  }

  /** Sends records from now on, each until the stream acknowledges it, or until a PONG follows it. */
  #accept(confirmation: 'stream' | 'pong'): void {
    this.#confirmation = confirmation
    this.#start()
    this.#options.onReady()
  }

  /** This bus never had a stream: records go to current subscribers only. */
  #reportMissing(code: StoreCode): void {
    const { logger, stream } = this.#options
    if (this.#code !== code) {
      const means =
        'records without a subscriber are lost and counted; others count as published once a PONG follows them'
      logger.warn({ stream: stream?.name, code, means }, 'bus keeps no records')
    }
    this.#state = 'missing'
    this.#code = code
    this.#checkStreamIn(MISSING_RETRY_MS)
    this.#accept('pong')
  }

  /** Logs each cause once until it is over. */
  #reportFailing(code: StoreCode): void {
    const { logger, stream } = this.#options
    if (this.#code !== code) logger.warn({ stream: stream?.name, code }, 'bus stores no records at the moment')
    if (this.#state === 'on') this.#state = 'failing'
    this.#code = code
  }
}
