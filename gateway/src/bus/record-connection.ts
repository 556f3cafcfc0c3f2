import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '@llm-gateway/conf'
import { Attempts, type AttemptTimings } from './attempts.ts'
import type { BusErrorCode } from './bus-error-code.ts'
import { addressText, type BusPlace } from './bus-place.ts'
import { openSocket } from './open-socket.ts'
import { RecordLink, type RecordLinkOptions } from './record-link.ts'
import type { RecordMessage } from './record-message.ts'
import type { ServerMessage } from './server-frames.ts'

/** The bus as records need it: publish, read answers, ask for PONGs. It may be away at any time, at the start too. */
export type RecordConnection = {
  readonly connected: boolean
  /** Bytes of headers and payload together; what the server last said; undefined before the first connection. */
  readonly maxPayload: number | undefined
  /** Servers of the bus, as far as it says or last said; 1 before the first connection. */
  readonly servers: number
  /** The server says that it has a JetStream; false before the first connection. */
  readonly jetStream: boolean
  /** What the subjects of answers to us begin with; the rest, without a dot, is their sender's. */
  readonly inbox: string
  /** False: not connected, too large, or the bus doesn't keep up; nothing was taken. */
  publish(message: RecordMessage): boolean
  /** True after a PONG that came after everything published before; false when the connection ends first; never rejects. */
  flush(): Promise<boolean>
  /** Asks the bus something; never rejects. */
  request(subject: string, text: string, timeoutMs: number): Promise<RequestOutcome>
  /** Answers to what was published, those that came at once together. */
  onAnswers(listener: (answers: readonly ServerMessage[]) => void): void
  /** The first connection and every reconnection. */
  onConnected(listener: () => void): void
  onDisconnected(listener: () => void): void
  /** Sends what was published and closes for good. */
  close(): Promise<void>
}

export type RequestOutcome =
  | { readonly kind: 'answered'; readonly text: string }
  /** Nobody answers such requests. */
  | { readonly kind: 'nobody' }
  | { readonly kind: 'not allowed' }
  | { readonly kind: 'silent' }

export type RecordConnectionOptions = BusPlace & {
  readonly logger: Pick<Logger, 'info' | 'warn'>
  readonly timings?: Partial<RecordConnectionTimings>
}

export type RecordConnectionTimings = AttemptTimings & {
  readonly connectTimeoutMs: number
  /** A connection is given up when two PINGs in a row bring nothing. */
  readonly pingIntervalMs: number
  /** Pause before a bus that was away gets records: time for the readers of records to come back to it. */
  readonly readersReturnMs: number
}

const TIMINGS: RecordConnectionTimings = {
  connectTimeoutMs: 5_000,
  pingIntervalMs: 10_000,
  firstPauseMs: 200,
  longestPauseMs: 4_000,
  repeatWarningMs: 60_000,
  // NATS clients look for a lost bus every 2 s; a record that comes before its readers is lost to them.
  readersReturnMs: 2_500,
}
const LAST_FLUSH_MS = 1_000
const NOBODY_STATUS = 503
/** What the last part of a request's inbox begins with. */
const REQUEST_MARK = 'q'

/**
 * A NATS client that publishes, and hears nothing but the answers. Every call makes a record with its payloads in it: the nats package copies a message twice
 * and makes promises for it, which costs more than all else that is done for a record; here payloads are written from
 * where they lie. Calls, answers and everything else stay on the package (nats-bus.ts).
 */
export function createRecordConnection(options: RecordConnectionOptions): RecordConnection {
  return new NatsRecordConnection(options)
}

class NatsRecordConnection implements RecordConnection {
  readonly inbox = `_INBOX.${randomBytes(12).toString('hex')}.`
  readonly #options: RecordConnectionOptions
  readonly #timings: RecordConnectionTimings
  readonly #connectedListeners: (() => void)[] = []
  readonly #disconnectedListeners: (() => void)[] = []
  readonly #answerListeners: ((answers: readonly ServerMessage[]) => void)[] = []
  /** By the subject of their answers. */
  readonly #requests = new Map<string, PendingRequest>()
  readonly #closing = new AbortController()
  readonly #ended: Promise<void>
  #link: RecordLink | undefined
  #requested = 0
  /** Our inbox isn't allowed: answers don't come. */
  #deaf = false
  #maxPayload: number | undefined
  #servers = 1

  constructor(options: RecordConnectionOptions) {
    this.#options = options
    this.#timings = { ...TIMINGS, ...options.timings }
    this.#ended = this.#stayConnected() // never rejects: every failure is an outcome of #connect
  }

  get connected(): boolean {
    return this.#link?.open === true
  }

  get maxPayload(): number | undefined {
    return this.#link?.maxPayload ?? this.#maxPayload
  }

  get servers(): number {
    return this.#link?.servers ?? this.#servers
  }

  get jetStream(): boolean {
    return this.#link?.jetStream ?? false
  }

  publish(message: RecordMessage): boolean {
    if (this.#link === undefined || message.size > (this.maxPayload ?? 0)) return false
    return this.#link.send(message.ranges)
  }

  flush(): Promise<boolean> {
    return this.#link?.ping() ?? Promise.resolve(false)
  }

  request(subject: string, text: string, timeoutMs: number): Promise<RequestOutcome> {
    const link = this.#link
    if (link === undefined) return Promise.resolve({ kind: 'silent' })
    if (this.#deaf) return Promise.resolve({ kind: 'not allowed' })
    const inbox = `${this.inbox}${REQUEST_MARK}${++this.#requested}`
    return new Promise((resolve) => {
      const settle = (outcome: RequestOutcome): void => {
        clearTimeout(timer)
        this.#requests.delete(inbox)
        resolve(outcome)
      }
      const timer = setTimeout(() => settle({ kind: 'silent' }), timeoutMs)
      this.#requests.set(inbox, { subject, settle })
      link.say(`PUB ${subject} ${inbox} ${Buffer.byteLength(text)}\r\n${text}\r\n`)
    })
  }

  onAnswers(listener: (answers: readonly ServerMessage[]) => void): void {
    this.#answerListeners.push(listener)
  }

  onConnected(listener: () => void): void {
    this.#connectedListeners.push(listener)
  }

  onDisconnected(listener: () => void): void {
    this.#disconnectedListeners.push(listener)
  }

  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return this.#ended
    const link = this.#link
    const late = setTimeout(() => link?.end(), LAST_FLUSH_MS)
    await this.flush()
    clearTimeout(late)
    this.#closing.abort()
    link?.end()
    await this.#ended
  }

  async #stayConnected(): Promise<void> {
    const { logger } = this.#options
    const fields = { address: addressText(this.#options), for: 'records' }
    const attempts = new Attempts(this.#timings, logger, fields)
    let wasAway = false
    while (!this.#closing.signal.aborted) {
      const link = await this.#connect((operation, subject) => {
        logger.warn({ ...fields, operation, subject }, 'bus refused a subject')
        if (operation === 'subscription') this.#deaf = true
        this.#endRequests('not allowed', subject)
      })
      if (typeof link !== 'string') {
        attempts.succeeded()
        logger.info({ ...fields, max_payload: link.maxPayload }, 'bus connected')
        if (wasAway) await this.#letReadersReturn(link)
        // Closed meanwhile: nobody else knows this link.
        if (this.#closing.signal.aborted) link.end()
        const code = await this.#serve(link)
        if (!this.#closing.signal.aborted) logger.warn({ ...fields, code }, 'bus disconnected')
        this.#endRequests('silent')
        for (const listener of this.#disconnectedListeners) listener()
      } else if (!this.#closing.signal.aborted) attempts.failed(link)
      wasAway = true
      await attempts.pause(this.#closing.signal)
    }
  }

  /** Never rejects; returns early when the link ends or we close. */
  async #letReadersReturn(link: RecordLink): Promise<void> {
    const { signal } = this.#closing
    const pause = sleep(this.#timings.readersReturnMs, undefined, { signal, ref: false })
    await Promise.race([pause.catch(() => undefined), link.closed])
  }

  /** Those of one subject, or all. */
  #endRequests(kind: 'not allowed' | 'silent', subject?: string): void {
    for (const request of [...this.#requests.values()]) {
      if (subject === undefined || request.subject === subject) request.settle({ kind })
    }
  }

  #received(messages: readonly ServerMessage[]): void {
    const answers = this.#requests.size === 0 ? messages : messages.filter((message) => !this.#settle(message))
    if (answers.length > 0) for (const listener of this.#answerListeners) listener(answers)
  }

  /** True where it answers a request. */
  #settle({ subject, status, text }: ServerMessage): boolean {
    const request = this.#requests.get(subject)
    request?.settle(status === NOBODY_STATUS ? { kind: 'nobody' } : { kind: 'answered', text })
    return request !== undefined
  }

  async #connect(refusedSubject: RecordLinkOptions['refusedSubject']): Promise<RecordLink | BusErrorCode> {
    const { connectTimeoutMs, pingIntervalMs } = this.#timings
    this.#deaf = false
    const signal = AbortSignal.any([AbortSignal.timeout(connectTimeoutMs), this.#closing.signal])
    const opened = await openSocket(this.#options, signal)
    if (opened.kind === 'failed') return opened.code
    const received = (messages: readonly ServerMessage[]): void => this.#received(messages)
    const link = new RecordLink({ ...opened, pingIntervalMs, refusedSubject, received })
    const end = (): void => link.end('BUS_TIMEOUT')
    signal.addEventListener('abort', end)
    if (signal.aborted) end()
    const greeted = await link.greet(`${connectLine(this.#options)}SUB ${this.inbox}* 1\r\n`)
    signal.removeEventListener('abort', end)
    return greeted ? link : ((await link.closed) ?? 'BUS_CLOSED')
  }

  async #serve(link: RecordLink): Promise<BusErrorCode> {
    this.#link = link
    for (const listener of this.#connectedListeners) listener()
    const code = await link.closed
    this.#maxPayload = link.maxPayload
    this.#servers = link.servers
    this.#link = undefined
    return code ?? 'BUS_CLOSED'
  }
}

type PendingRequest = { readonly subject: string; readonly settle: (outcome: RequestOutcome) => void }

function connectLine({ token, user, tls }: BusPlace): string {
  const fields = {
    verbose: false,
    pedantic: false,
    headers: true,
    no_responders: true,
    tls_required: tls !== undefined,
    lang: 'node',
    version: process.versions.node,
    name: 'llm-gateway records',
    protocol: 1,
    ...(token === undefined ? {} : { auth_token: token.reveal() }),
    ...(user === undefined ? {} : { user: user.name, pass: user.password.reveal() }),
  }
  return `CONNECT ${JSON.stringify(fields)}\r\n`
}
