import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '@llm-gateway/conf'
import type { BusErrorCode } from './bus-error-code.ts'
import { addressText, type BusServer } from './bus-server.ts'
import { ConnectAttempts, type ConnectTimings } from './connect-attempts.ts'
import { openSocket } from './open-socket.ts'
import { RecordLink, type RecordLinkOptions } from './record-link.ts'
import type { RecordMessage } from './record-message.ts'
import type { ServerMessage } from './server-frames.ts'

/**
 * The bus's functions that records need: publish, read answers, ask for PONGs. The bus may be away at any time, even at
 * the start.
 */
export type RecordConnection = {
  readonly connected: boolean
  /** The server's last known limit in bytes of headers and payload together; undefined before the first connection. */
  readonly maxPayload: number | undefined
  /** The last known number of servers of the bus; 1 before the first connection. */
  readonly servers: number
  /** True where the server has JetStream; false before the first connection. */
  readonly jetStream: boolean
  /** The beginning of the subjects of answers; the sender of a message appends a token without a dot. */
  readonly inbox: string
  /**
   * Publishes a message; returns false and takes nothing while disconnected, for a message that is too large, or while
   * the bus is behind.
   */
  publish(message: RecordMessage): boolean
  /**
   * Resolves with true after a PONG that follows all earlier messages, with false when the connection ends first; never
   * rejects.
   */
  flush(): Promise<boolean>
  /** Sends a request to the bus; never rejects. */
  request(subject: string, text: string, timeoutMs: number): Promise<RequestOutcome>
  /** Calls the listener with answers to published messages; one call gets all answers that arrived together. */
  onAnswers(listener: (answers: readonly ServerMessage[]) => void): void
  /** Calls the listener where the bus forbids the subject of a published message, before the PONG that follows it. */
  onForbidden(listener: () => void): void
  /** Called for the first connection and every reconnection. */
  onConnected(listener: () => void): void
  onDisconnected(listener: () => void): void
  /** Sends the published messages and closes for good. */
  close(): Promise<void>
}

export type RequestOutcome =
  | { readonly kind: 'answered'; readonly text: string }
  /** No subscriber answers such requests. */
  | { readonly kind: 'no responders' }
  | { readonly kind: 'not allowed' }
  | { readonly kind: 'timeout' }

export type RecordConnectionOptions = BusServer & {
  readonly logger: Pick<Logger, 'info' | 'warn'>
  readonly timings?: Partial<RecordConnectionTimings>
}

export type RecordConnectionTimings = ConnectTimings & {
  readonly connectTimeoutMs: number
  /** A connection is closed after two unanswered PINGs in a row. */
  readonly pingIntervalMs: number
  /** The pause before a bus that was away gets records, so that their readers can reconnect first. */
  readonly readersReturnMs: number
}

const TIMINGS: RecordConnectionTimings = {
  connectTimeoutMs: 5_000,
  pingIntervalMs: 10_000,
  firstPauseMs: 200,
  longestPauseMs: 4_000,
  repeatWarningMs: 60_000,
  // NATS clients look for a lost bus every 2 s; a reader that connects later than a record misses it.
  readersReturnMs: 2_500,
}
const LAST_FLUSH_MS = 1_000
const NO_RESPONDERS_STATUS = 503
/** The beginning of the subjects of all requests; other messages are records. */
const REQUESTS = '$JS.API.'
/** The mark before the number of a request in its inbox. */
const REQUEST_MARK = 'q'

/**
 * Creates a NATS client that publishes and receives only answers. Every call makes a record with payloads: the nats
 * package copies a message twice and makes promises for it, which costs more than all other work for a record. This
 * client writes payloads from the memory they are in. Calls and everything else use the package (nats-bus.ts).
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
  readonly #forbiddenListeners: (() => void)[] = []
  readonly #answerListeners: ((answers: readonly ServerMessage[]) => void)[] = []
  /** Pending requests by the subject of their answers. */
  readonly #requests = new Map<string, PendingRequest>()
  readonly #closing = new AbortController()
  readonly #ended: Promise<void>
  #link: RecordLink | undefined
  #requestCount = 0
  /** True where our inbox isn't allowed, so that no answers arrive. */
  #isInboxRefused = false
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
    if (link === undefined) return Promise.resolve({ kind: 'timeout' })
    if (this.#isInboxRefused) return Promise.resolve({ kind: 'not allowed' })
    const inbox = `${this.inbox}${REQUEST_MARK}${++this.#requestCount}`
    return new Promise((resolve) => {
      const settle = (outcome: RequestOutcome): void => {
        clearTimeout(timer)
        this.#requests.delete(inbox)
        resolve(outcome)
      }
      const timer = setTimeout(() => settle({ kind: 'timeout' }), timeoutMs)
      this.#requests.set(inbox, { subject, settle })
      link.write(`PUB ${subject} ${inbox} ${Buffer.byteLength(text)}\r\n${text}\r\n`)
    })
  }

  onAnswers(listener: (answers: readonly ServerMessage[]) => void): void {
    this.#answerListeners.push(listener)
  }

  onForbidden(listener: () => void): void {
    this.#forbiddenListeners.push(listener)
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
    const attempts = new ConnectAttempts(this.#timings, logger, fields)
    let wasAway = false
    while (!this.#closing.signal.aborted) {
      const link = await this.#connect(({ operation, subject, isNew }) => {
        if (isNew) logger.warn({ ...fields, operation, subject }, 'bus refused a subject')
        if (operation === 'subscription') this.#isInboxRefused = true
        this.#endRequests('not allowed', subject)
        if (operation === 'publish' && !subject.startsWith(REQUESTS)) {
          for (const listener of this.#forbiddenListeners) listener()
        }
      })
      if (typeof link !== 'string') {
        attempts.succeeded()
        logger.info({ ...fields, max_payload: link.maxPayload }, 'bus connected')
        if (wasAway) await this.#waitForReaders(link)
        // The connection was closed meanwhile, and only this code knows the link.
        if (this.#closing.signal.aborted) link.end()
        const code = await this.#serve(link)
        if (!this.#closing.signal.aborted) logger.warn({ ...fields, code }, 'bus disconnected')
        this.#endRequests('timeout')
        for (const listener of this.#disconnectedListeners) listener()
      } else if (!this.#closing.signal.aborted) attempts.failed(link)
      wasAway = true
      await attempts.pause(this.#closing.signal)
    }
  }

  /** Waits for readers to return; returns early when the link ends or the connection closes, never rejects. */
  async #waitForReaders(link: RecordLink): Promise<void> {
    const { signal } = this.#closing
    const pause = sleep(this.#timings.readersReturnMs, undefined, { signal, ref: false })
    await Promise.race([pause.catch(() => undefined), link.closed])
  }

  /** Ends the requests of one subject, or all of them. */
  #endRequests(kind: 'not allowed' | 'timeout', subject?: string): void {
    for (const request of [...this.#requests.values()]) {
      if (subject === undefined || request.subject === subject) request.settle({ kind })
    }
  }

  #received(messages: readonly ServerMessage[]): void {
    const answers = this.#requests.size === 0 ? messages : messages.filter((message) => !this.#settle(message))
    if (answers.length > 0) for (const listener of this.#answerListeners) listener(answers)
  }

  /** Settles the request that a message answers; returns false where the message answers none. */
  #settle({ subject, status, text }: ServerMessage): boolean {
    const request = this.#requests.get(subject)
    request?.settle(status === NO_RESPONDERS_STATUS ? { kind: 'no responders' } : { kind: 'answered', text })
    return request !== undefined
  }

  async #connect(onRefusedSubject: RecordLinkOptions['onRefusedSubject']): Promise<RecordLink | BusErrorCode> {
    const { connectTimeoutMs, pingIntervalMs } = this.#timings
    this.#isInboxRefused = false
    const signal = AbortSignal.any([AbortSignal.timeout(connectTimeoutMs), this.#closing.signal])
    const opened = await openSocket(this.#options, signal)
    if (opened.kind === 'failed') return opened.code
    const onMessages = (messages: readonly ServerMessage[]): void => this.#received(messages)
    const link = new RecordLink({ ...opened, pingIntervalMs, onRefusedSubject, onMessages })
    const end = (): void => link.end('BUS_TIMEOUT')
    signal.addEventListener('abort', end)
    if (signal.aborted) end()
    const greeted = await link.handshake(`${connectLine(this.#options)}SUB ${this.inbox}* 1\r\n`)
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

function connectLine({ token, user, tls }: BusServer): string {
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
