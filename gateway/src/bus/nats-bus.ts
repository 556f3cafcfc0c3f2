import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '@llm-gateway/conf'
import { type ConnectionOptions, connect, createInbox, DebugEvents, Events, type Msg, type NatsConnection } from 'nats'
import { WorkQueue } from '../work/work-queue.ts'
import type { Bus, CallOptions, CallOutcome } from './bus.ts'
import { type BusErrorCode, busErrorCode } from './bus-error-code.ts'
import { addressText, type BusServer } from './bus-server.ts'
import { CallHeaders, callHeaderBytes } from './call-headers.ts'
import { ConnectAttempts, type ConnectTimings } from './connect-attempts.ts'
import { Outbox } from './outbox.ts'
import { PendingCalls } from './pending-calls.ts'
import { probeGreeting } from './probe-greeting.ts'
import { readClientInTurns } from './read-client-in-turns.ts'

export type NatsBusOptions = BusServer & {
  readonly logger: Pick<Logger, 'info' | 'warn'>
  readonly timings?: Partial<NatsBusTimings>
  /** The queue of the calls that end together. */
  readonly work?: WorkQueue
  /** Called with a late or second reply to one of the last calls. */
  readonly onLateReply?: (subject: string, bytes: Uint8Array) => void
}

export type NatsBusTimings = ConnectTimings & {
  readonly connectTimeoutMs: number
  /** A connection is closed after two unanswered PINGs in a row. */
  readonly pingIntervalMs: number
}

const TIMINGS: NatsBusTimings = {
  connectTimeoutMs: 5_000,
  pingIntervalMs: 10_000,
  firstPauseMs: 200,
  longestPauseMs: 4_000,
  repeatWarningMs: 60_000,
}
const MIB = 1024 * 1024
const OUTBOX_LIMITS = { pingBytes: MIB, sentBytes: 16 * MIB, waitingBytes: 192 * MIB }
const LAST_FLUSH_MS = 1_000
const MAX_ANSWERS = 10_000
const ANSWERS_MS = 10_000
/** The most refused subjects of a connection that are logged. */
const MAX_REFUSED_SUBJECTS = 16
/** The number of calls whose late replies are told. */
const RECENT_CALLS = 16_384
const NO_RESPONDERS_STATUS = 503
/** The longest headers that are read as a status; the bus's own have 16 bytes. */
const STATUS_BYTES = 64

const DISCONNECTED: CallOutcome = { kind: 'failed', error: 'disconnected' }
const NO_RESPONDERS: CallOutcome = { kind: 'failed', error: 'no responders' }
const TOO_LARGE: CallOutcome = { kind: 'failed', error: 'too large' }
const TOO_MUCH_WAITS: CallOutcome = { kind: 'failed', error: 'timeout: not sent, too much waits already' }

/** Creates a bus that connects in the background and reconnects until `close`; it is usable at once. */
export function createNatsBus(options: NatsBusOptions): Bus {
  return new NatsBus(options)
}

/**
 * A bus that opens a new client for each connection, with the library's reconnecting off. The library would silently
 * discard its outbound buffer at a disconnect, and would never leave a server that stopped reading, since it waits for
 * a write to end.
 */
class NatsBus implements Bus {
  readonly #options: NatsBusOptions
  readonly #timings: NatsBusTimings
  readonly #inbox = `${createInbox()}.`
  readonly #outbox = new Outbox(OUTBOX_LIMITS, () => this.flush())
  readonly #headers = new CallHeaders()
  readonly #calls: PendingCalls
  /** The tokens and subjects of the last calls; a call's place is its token modulo the length. */
  readonly #recentTokens = new Float64Array(RECENT_CALLS)
  readonly #recentSubjects: string[] = Array.from({ length: RECENT_CALLS }, () => '')
  readonly #flushes = new Set<(taken: boolean) => void>()
  readonly #answers = new Map<string, () => Uint8Array>()
  readonly #connectedListeners: (() => void)[] = []
  readonly #disconnectedListeners: (() => void)[] = []
  readonly #closing = new AbortController()
  #connection: NatsConnection | undefined
  #maxPayload: number | undefined

  constructor(options: NatsBusOptions) {
    this.#options = options
    this.#timings = { ...TIMINGS, ...options.timings }
    this.#calls = new PendingCalls(options.work ?? new WorkQueue(), (token) => this.#outbox.drop(token))
    void this.#stayConnected() // never rejects: every failure is an outcome of #connect
  }

  get connected(): boolean {
    return this.#open !== undefined
  }

  get maxPayload(): number | undefined {
    return this.#open?.info?.max_payload ?? this.#maxPayload
  }

  call(subject: string, message: Uint8Array, { timeoutMs, router }: CallOptions): Promise<CallOutcome> {
    const connection = this.#open
    if (connection === undefined) return Promise.resolve(DISCONNECTED)
    const headers = connection.info?.headers === true
    const size = message.length + (headers ? callHeaderBytes(router) : 0)
    if (size > (this.maxPayload ?? 0)) return Promise.resolve(TOO_LARGE)
    if (this.#calls.full) return Promise.resolve(TOO_MUCH_WAITS)
    return this.#calls.open(timeoutMs, (token, deadline) => {
      const place = Number(token) % RECENT_CALLS
      this.#recentTokens[place] = Number(token)
      this.#recentSubjects[place] = subject
      const send = (): void => {
        // A closed connection would throw; its calls are about to end as disconnected.
        if (connection.isClosed()) return
        // A message that waited while the bus lowered its limit would throw, too.
        if (size > (this.maxPayload ?? 0)) {
          this.#calls.settle(token, TOO_LARGE)
          return
        }
        const reply = this.#inbox + token
        connection.publish(
          subject,
          message,
          headers ? { reply, headers: this.#headers.of(deadline, router) } : { reply },
        )
      }
      if (!this.#outbox.add(token, { bytes: size, send })) this.#calls.settle(token, TOO_MUCH_WAITS)
    })
  }

  flush(): Promise<boolean> {
    const connection = this.#open
    if (connection === undefined) return Promise.resolve(false)
    return new Promise((resolve) => {
      this.#flushes.add(resolve)
      const settle = (taken: boolean): void => {
        if (this.#flushes.delete(resolve)) resolve(taken)
      }
      connection.flush().then(
        () => settle(true),
        () => settle(false),
      )
    })
  }

  onConnected(listener: () => void): void {
    this.#connectedListeners.push(listener)
  }

  onDisconnected(listener: () => void): void {
    this.#disconnectedListeners.push(listener)
  }

  respond(subject: string, answer: () => Uint8Array): void {
    this.#answers.set(subject, answer)
    if (this.#open !== undefined) answerOn(this.#open, subject, answer)
  }

  async close(): Promise<void> {
    const connection = this.#open
    this.#closing.abort()
    this.#calls.endAll(DISCONNECTED)
    if (connection === undefined) return
    await Promise.race([this.flush(), sleep(LAST_FLUSH_MS, undefined, { ref: false })])
    await connection.close()
  }

  /** Returns undefined for a closed connection too, which the library reports a few turns later. */
  get #open(): NatsConnection | undefined {
    return this.#connection?.isClosed() === false ? this.#connection : undefined
  }

  async #stayConnected(): Promise<void> {
    const attempts = new ConnectAttempts(this.#timings, this.#options.logger, { address: addressText(this.#options) })
    let hung = false
    while (!this.#closing.signal.aborted) {
      const connected = await this.#connect(hung)
      if (connected.kind === 'failed') {
        if (!this.#closing.signal.aborted) attempts.failed(connected.code)
        hung = connected.code === 'BUS_TIMEOUT'
      } else {
        hung = false
        attempts.succeeded()
        await this.#serve(connected.connection)
      }
      await attempts.pause(this.#closing.signal)
    }
  }

  /**
   * Connects to the bus. After a timeout the server must greet first: a server that accepts and stays silent costs the
   * library one socket per attempt.
   */
  async #connect(hung: boolean): Promise<Connected> {
    const { connectTimeoutMs } = this.#timings
    if (hung && !(await probeGreeting(this.#options, connectTimeoutMs))) return { kind: 'failed', code: 'BUS_TIMEOUT' }
    try {
      return { kind: 'connected', connection: await connect(connectionOptions(this.#options, this.#timings)) }
    } catch (error) {
      return { kind: 'failed', code: busErrorCode(error) }
    }
  }

  async #serve(connection: NatsConnection): Promise<void> {
    if (this.#closing.signal.aborted) return await connection.close()
    const stale = this.#followStatus(connection)
    readClientInTurns(connection, this.#calls)
    connection.subscribe(`${this.#inbox}*`, { callback: (error, message) => this.#settleCall(error, message) })
    for (const [subject, answer] of this.#answers) answerOn(connection, subject, answer)
    this.#connection = connection
    this.#maxPayload = connection.info?.max_payload
    this.#options.logger.info({ address: addressText(this.#options), max_payload: this.#maxPayload }, 'bus connected')
    for (const listener of this.#connectedListeners) listener()

    const error = await connection.closed()
    this.#maxPayload = connection.info?.max_payload ?? this.#maxPayload
    this.#connection = undefined
    this.#outbox.clear()
    for (const resolve of [...this.#flushes]) resolve(false)
    this.#flushes.clear()
    this.#calls.endAll(DISCONNECTED)
    this.#calls.noteRead()
    if (!this.#closing.signal.aborted) {
      const code = stale.seen ? 'BUS_STALE' : busErrorCode(error)
      this.#options.logger.warn({ address: addressText(this.#options), code }, 'bus disconnected')
    }
    for (const listener of this.#disconnectedListeners) listener()
  }

  #settleCall(error: Error | null, message: Msg): void {
    if (error !== null) return // the inbox isn't allowed; #followStatus warns
    const token = message.subject.slice(this.#inbox.length)
    const bytes = message.data
    const isAwaited = this.#calls.settle(token, saysNoResponders(message) ? NO_RESPONDERS : { kind: 'reply', bytes })
    if (isAwaited) return
    const place = Number(token) % RECENT_CALLS
    const subject = this.#recentSubjects[place]
    if (subject !== undefined && this.#recentTokens[place] === Number(token))
      this.#options.onLateReply?.(subject, bytes)
  }

  /**
   * Follows a connection's status: closes a stale connection, since the library itself would wait for a stopped server
   * forever, and logs each refused subject once.
   */
  #followStatus(connection: NatsConnection): { seen: boolean } {
    const stale = { seen: false }
    const refused = new Set<string>()
    const read = async (): Promise<void> => {
      for await (const status of connection.status()) {
        if (status.type === DebugEvents.StaleConnection) {
          stale.seen = true
          await connection.close()
        } else if (status.type === Events.Error && status.permissionContext !== undefined) {
          const { operation, subject } = status.permissionContext
          if (refused.has(subject) || refused.size >= MAX_REFUSED_SUBJECTS) continue
          refused.add(subject)
          this.#options.logger.warn({ operation, subject }, 'bus refused a subject')
        }
      }
    }
    void read() // the iterator and close() don't reject
    return stale
  }
}

/**
 * Returns true for the message with which the bus answers a call that no processor subscribes to: a status and no bytes.
 * The library reads headers in quadratic time and throws at a bad name, which would end its reading of the connection.
 * Longer headers than those of a status aren't read for this reason.
 */
function saysNoResponders(message: Msg): boolean {
  if (message.data.length > 0 || !isSized(message)) return false
  if (message.size() - message.subject.length > STATUS_BYTES) return false
  try {
    return message.headers?.code === NO_RESPONDERS_STATUS
  } catch {
    return false
  }
}

/** The library's messages have a size, which its type lacks: the bytes of subject, reply, headers and data. */
function isSized(message: Msg): message is Msg & { size(): number } {
  return 'size' in message && typeof message.size === 'function'
}

type Connected =
  | { readonly kind: 'connected'; readonly connection: NatsConnection }
  | { readonly kind: 'failed'; readonly code: BusErrorCode }

function connectionOptions(options: NatsBusOptions, timings: NatsBusTimings): ConnectionOptions {
  const { tls } = options
  const token = options.token?.reveal() ?? ''
  return {
    servers: addressText(options),
    name: 'llm-gateway',
    reconnect: false,
    ignoreClusterUpdates: true,
    timeout: timings.connectTimeoutMs,
    pingInterval: timings.pingIntervalMs,
    maxPingOut: 2,
    noAsyncTraces: true,
    // The library's own look-up knows neither /etc/hosts nor search domains; with TLS it carries the name to verify.
    resolve: tls !== undefined,
    ...(token === '' ? {} : { token }),
    ...(options.user === undefined ? {} : { user: options.user.name, pass: options.user.password.reveal() }),
    ...(tls === undefined ? {} : { tls: { ...tls } }),
  }
}

/**
 * Answers requests on a connection, `MAX_ANSWERS` of them in `ANSWERS_MS`: the bus itself drops further requests, since
 * each would take time from the gateway's calls.
 */
function answerOn(connection: NatsConnection, subject: string, answer: () => Uint8Array): void {
  if (connection.isClosed()) return
  const begunMs = performance.now()
  const subscription = connection.subscribe(subject, {
    max: MAX_ANSWERS,
    callback: (error, message) => {
      if (error === null) respondOn(message, answer)
    },
  })
  const again = (): void => answerOn(connection, subject, answer)
  // Never rejects; resolves at the last answer, and when the connection ends.
  void subscription.closed.then(() => setTimeout(again, Math.max(0, begunMs + ANSWERS_MS - performance.now())).unref())
}

/** Never throws: an error in a callback would end the library's reading of the connection. */
function respondOn(message: Msg, answer: () => Uint8Array): void {
  try {
    message.respond(answer())
  } catch {
    // The bus admits no message of this size, or the connection has just closed; the client asks again.
  }
}
