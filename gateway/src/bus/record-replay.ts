import { setTimeout as sleep } from 'node:timers/promises'
import type { Spool, SpoolBatch } from '../spool/spool.ts'
import type { WorkQueue } from '../work/work-queue.ts'
import type { MessageHead } from './message-head.ts'
import { longestTransferMs } from './path-speed.ts'
import { MESSAGE_TOO_LARGE, NOBODY_TOOK_IT, type PublishAnswer, type StoreCode } from './publish-answer.ts'
import type { RecordConnection } from './record-connection.ts'
import type { RecordMessage, RecordText } from './record-message.ts'
import { RecordPages } from './record-pages.ts'
import type { RecordSender } from './record-sender.ts'
import { RecordSplitter } from './split-record.ts'

export type RecordReplayOptions = {
  readonly connection: RecordConnection
  readonly sender: RecordSender
  readonly spool: Spool
  readonly createHead: (messageId: string, token: string) => MessageHead
  readonly fit: (message: RecordMessage) => RecordMessage | undefined
  readonly onReleased: (count: number, stored: boolean) => void
  readonly onLost: (count: number, reason: 'too_large' | 'no_subscriber' | 'damaged' | 'refused') => void
  /** Called when records left the spool. */
  readonly onRemoved: () => void
  /** The milliseconds until a batch without an answer is sent again, beside the time that its bytes take. */
  readonly answerTimeoutMs: number
  /** The queue of the work on records that are too large for the bus by now. */
  readonly work: WorkQueue
}

/**
 * The highest speed of spooled records. The speed is limited because readers of the subject get the live records at the
 * same time (docs/reference/kept-records.md#queue-and-spool).
 */
const BYTES_PER_MS = 20_000
const FULL_SOCKET_MS = 20
const PAUSE_MS = 250
/** The mark before tokens of replayed records; tokens of live records are numbers. */
const TOKEN_MARK = 'r'

/** The form of `<gateway_id>-<process start, ns>-<sequence>`: an id from disk may hold anything, even line ends. */
const MESSAGE_ID = /^[A-Z0-9]{8}-\d{1,20}-\d{1,20}$/
/** The number of times that the bus must refuse a record, while it stores others, before the record is lost. */
const MAX_REFUSALS = 3
/** The number of tries between two looks at the stream, where only the spool's records are refused. */
const RECHECK_TRIES = 20

/** The tries of a batch with records that the bus refuses for their own sake. */
type RefusedBatch = {
  readonly segment: SpoolBatch['segment']
  readonly end: number
  tries: number
  /** The number of stored live records at the first try. */
  readonly storedBefore: number
}

/** A batch with records that the stream refused for their size, the limit to which they were cut, and the looks until then. */
type OutgrownBatch = {
  readonly segment: SpoolBatch['segment']
  readonly end: number
  readonly limit: number
  readonly looks: number
}

/**
 * The batch that is being sent. A record keeps its token over all tries, so that an answer counts that comes after its
 * time: a path that is always slower would else get the record for ever.
 */
type SentBatch = {
  readonly segment: SpoolBatch['segment']
  readonly end: number
  /** The tokens of its records, in order. */
  readonly tokens: readonly string[]
  readonly stored: Set<string>
}

/** Counts of the current batch's records. */
type BatchCounts = {
  stored: number
  /** The records that neither a stream nor a subscriber took. */
  unheard: number
  /** The records that no cut makes small enough for the bus. */
  tooLarge: number
  /** The records that the stream refused for their size, although they were cut to its limit. */
  outgrown: number
  /** The records whose ids have another form than the gateway's. */
  damaged: number
  /** The records that the bus refuses for another reason of their own. */
  refused: number
}

const NONE: BatchCounts = { stored: 0, unheard: 0, tooLarge: 0, outgrown: 0, damaged: 0, refused: 0 }

/** Publishes the spool's records in order, one batch after another, beside the live records. */
export class RecordReplay {
  readonly #options: RecordReplayOptions
  readonly #pages = new RecordPages()
  readonly #splitter: RecordSplitter
  readonly #closing = new AbortController()
  readonly #ended: Promise<void>
  /** The tokens of the current batch whose answers are awaited. */
  readonly #awaited = new Set<string>()
  #settle: ((refusal: StoreCode | undefined) => void) | undefined
  #wake: (() => void) | undefined
  #isWoken = false
  #timer: NodeJS.Timeout | undefined
  #batch: SentBatch | undefined
  #batches = 0
  #bytesOnWay = 0
  #counts = { ...NONE }
  #refused: RefusedBatch | undefined
  #outgrown: OutgrownBatch | undefined
  /** True where the bus forbids the subject of the current batch. */
  #isForbidden = false
  /** The reason of the last refusal for a record's own sake. */
  #refusal: StoreCode | undefined

  constructor(options: RecordReplayOptions) {
    this.#options = options
    this.#splitter = new RecordSplitter(options.work)
    options.connection.onDisconnected(() => this.#settle?.('NO_ANSWER'))
    options.connection.onForbidden(() => {
      this.#isForbidden = true
    })
    this.#ended = this.#run() // never rejects: neither spool nor connection do
  }

  /** Wakes the replay: the spool may have records, and the bus may take them. */
  wake(): void {
    this.#isWoken = true
    this.#wake?.()
  }

  /** The bytes of the records that were sent and have no answer. */
  get bytesOnWay(): number {
    return this.#bytesOnWay
  }

  /** Handles an answer; returns false where the token isn't of a replayed record. */
  takeAnswer(token: string, answer: PublishAnswer): boolean {
    if (!token.startsWith(TOKEN_MARK)) return false
    if (answer.kind === 'refused' && !answer.isPermanent && answer.code !== MESSAGE_TOO_LARGE) {
      if (answer.code === NOBODY_TOOK_IT) this.#counts.unheard += 1
      if (this.#awaited.has(token)) this.#settle?.(answer.code)
      return true
    }
    const { tokens, stored } = this.#batch ?? {}
    if (answer.kind === 'stored' && tokens?.includes(token)) stored?.add(token)
    if (!this.#awaited.delete(token)) return true
    if (answer.kind === 'stored') this.#counts.stored += 1
    else if (answer.code === MESSAGE_TOO_LARGE) this.#counts.outgrown += 1
    else this.#noteRefused(answer.code)
    if (this.#awaited.size === 0) this.#settle?.(undefined)
    return true
  }

  async close(): Promise<void> {
    this.#closing.abort()
    this.#settle?.('NO_ANSWER')
    this.wake()
    await this.#ended
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing
    while (!signal.aborted) {
      const begunMs = performance.now()
      this.#bytesOnWay = 0
      this.#isWoken = false
      const batch = this.#canSend ? await this.#options.spool.read() : undefined
      if (batch === undefined) await this.#sleep()
      else if (await this.#send(batch)) {
        // Live records are sent while the batch is removed, and in the pause behind it.
        this.#bytesOnWay = 0
        await this.#options.spool.remove(batch)
        this.#options.onRemoved()
        const bytes = batch.records.reduce((sum, { json }) => sum + json.length, 0)
        await this.#pause(begunMs + bytes / BYTES_PER_MS - performance.now())
      } else await this.#pause(PAUSE_MS)
    }
  }

  get #canSend(): boolean {
    const { connection, sender } = this.#options
    return !this.#closing.signal.aborted && connection.connected && sender.isReady
  }

  #sleep(): Promise<void> {
    if (this.#isWoken || this.#closing.signal.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }

  async #pause(ms: number): Promise<void> {
    if (ms > 0) await sleep(ms, undefined, { signal: this.#closing.signal }).catch(() => undefined)
  }

  /** Publishes a batch; resolves with true where the bus has each record, or will never take it. */
  async #send(batch: SpoolBatch): Promise<boolean> {
    const { connection, sender, onReleased } = this.#options
    this.#counts = { ...NONE }
    this.#isForbidden = false
    const limit = sender.maxStoredBytes
    const messages = await this.#encode(batch)
    const bytes = messages.reduce((sum, { size }) => sum + size, 0)
    const bytesInFront = sender.sentBytes + bytes
    this.#bytesOnWay = bytes
    const answers = sender.hasAcknowledgements ? this.#answers(messages) : undefined
    for (const message of messages) {
      while (this.#canSend && !connection.publish(message)) {
        // The bus may have lowered its limit since the message was made.
        if (message.size > (connection.maxPayload ?? 0)) return this.#failed(undefined)
        await this.#pause(FULL_SOCKET_MS)
      }
      if (!this.#canSend) return this.#failed(undefined)
    }
    if (answers === undefined) {
      // Each answer NOBODY_TOOK_IT, and each refusal of the subject, comes before the PONG.
      if (!(await this.#flushed()) || this.#isForbidden) return false
      sender.noteConfirmed()
    } else {
      this.#limitAnswers(bytesInFront)
      const refusal = await answers
      if (refusal !== undefined) return this.#failed(refusal)
      if (!this.#isSizeFinal(batch, limit) || !this.#isRefusalFinal(batch)) return false
    }
    onReleased(batch.records.length - this.#countLost(), answers !== undefined)
    return true
  }

  /**
   * Counts lost records, and returns their number. This is done only once their batch is done, since each try of a batch
   * finds the same ones.
   */
  #countLost(): number {
    const { unheard, damaged, refused } = this.#counts
    const tooLarge = this.#counts.tooLarge + this.#counts.outgrown
    const { onLost } = this.#options
    if (unheard > 0) onLost(unheard, 'no_subscriber')
    if (tooLarge > 0) onLost(tooLarge, 'too_large')
    if (damaged > 0) onLost(damaged, 'damaged')
    if (refused > 0) onLost(refused, 'refused')
    return unheard + tooLarge + damaged + refused
  }

  #noteRefused(code: StoreCode): void {
    this.#counts.refused += 1
    this.#refusal = code
  }

  /**
   * Returns true where the stream refused no record for its size, or refused it under a limit that a look after the last
   * refusal found unchanged. Elsewhere the batch is cut again, since the stream may have been given a smaller limit.
   */
  #isSizeFinal({ segment, end }: SpoolBatch, limit: number): boolean {
    const { sender } = this.#options
    if (this.#counts.outgrown === 0 || !sender.canReadLimit) return true
    const before = this.#outgrown
    const isSame = before?.segment === segment && before.end === end && before.limit === limit
    if (isSame && before.looks < sender.looks) return true
    this.#outgrown = { segment, end, limit, looks: sender.looks }
    if (limit === sender.maxStoredBytes) sender.recheckStream(MESSAGE_TOO_LARGE)
    return false
  }

  /**
   * Returns true where no record was refused for its own sake, or the bus refused it in several tries and stored others
   * meanwhile. A bus that stores nothing else may have a fault of its own.
   */
  #isRefusalFinal({ segment, end }: SpoolBatch): boolean {
    const { sender } = this.#options
    if (this.#counts.refused === 0) return true
    let batch = this.#refused
    if (batch?.segment !== segment || batch.end !== end) {
      batch = { segment, end, tries: 0, storedBefore: sender.storedCount }
      this.#refused = batch
    }
    const storesOthers = this.#counts.stored > 0 || sender.storedCount > batch.storedBefore
    // The live records wait during a look at the stream, so that only some of the tries look.
    if (!storesOthers && batch.tries % RECHECK_TRIES === 0) this.#failed(this.#refusal)
    batch.tries += 1
    // All are sent again, since only a bus that stores the others now refuses this one for its own sake.
    this.#batch?.stored.clear()
    return storesOthers && batch.tries >= MAX_REFUSALS
  }

  /** Returns the batch's tokens; a batch that was read again has its former ones. */
  #tokensOf({ segment, end, records }: SpoolBatch): readonly string[] {
    if (this.#batch?.segment !== segment || this.#batch.end !== end) {
      this.#batches += 1
      const tokens = records.map((_, index) => `${TOKEN_MARK}${this.#batches}-${index}`)
      this.#batch = { segment, end, tokens, stored: new Set() }
    }
    return this.#batch.tokens
  }

  /** Returns the messages of the records that aren't stored. */
  async #encode(batch: SpoolBatch): Promise<readonly RecordMessage[]> {
    const tokens = this.#tokensOf(batch)
    const messages: RecordMessage[] = []
    for (const [index, { id, json }] of batch.records.entries()) {
      if (!MESSAGE_ID.test(id)) {
        this.#counts.damaged += 1
        continue
      }
      const head = this.#options.createHead(id, tokens[index] ?? TOKEN_MARK)
      const message = this.#fit(head, { parts: [json.subarray(0, -1)], cut: [] })
      // The bus may have taken larger records when this one was spooled.
      const fitted = message ?? this.#fit(head, await this.#splitter.split(json))
      if (fitted === undefined) this.#counts.tooLarge += 1
      else messages.push(fitted)
    }
    // Late answers may have come meanwhile.
    return messages.filter(({ head }) => !this.#batch?.stored.has(head.token))
  }

  #fit(head: MessageHead, record: Omit<RecordText, 'router'>): RecordMessage | undefined {
    return this.#options.fit(this.#pages.encode(head, record))
  }

  #failed(refusal: StoreCode | undefined): false {
    this.#awaited.clear()
    this.#settle?.(undefined)
    if (refusal !== undefined && !this.#closing.signal.aborted) this.#options.sender.recheckStream(refusal)
    return false
  }

  /** Resolves with true after the PONG, with false when the connection or the replay ends first. */
  #flushed(): Promise<boolean> {
    return new Promise((resolve) => {
      const settle = (): void => resolve(false)
      this.#settle = settle
      void this.#options.connection.flush().then((isFlushed) => {
        if (this.#settle === settle) this.#settle = undefined
        resolve(isFlushed)
      }) // never rejects
    })
  }

  /** Ends the wait for the batch's answers after the time that its bytes may take, counted from their sending. */
  #limitAnswers(bytesInFront: number): void {
    const settle = this.#settle
    if (settle === undefined) return
    const limitMs = this.#options.answerTimeoutMs + longestTransferMs(bytesInFront)
    this.#timer = setTimeout(() => settle('NO_ANSWER'), limitMs)
  }

  /** Resolves with undefined once each record is stored, with a refusal where one was refused or the time ran out. */
  #answers(messages: readonly RecordMessage[]): Promise<StoreCode | undefined> {
    if (messages.length === 0) return Promise.resolve(undefined)
    for (const { head } of messages) this.#awaited.add(head.token)
    return new Promise((resolve) => {
      const settle = (refusal: StoreCode | undefined): void => {
        clearTimeout(this.#timer)
        if (this.#settle === settle) this.#settle = undefined
        resolve(refusal)
      }
      this.#settle = settle
    })
  }
}
