import { errorCode } from '@llm-gateway/conf/failure'
import { readSmallFile } from '@llm-gateway/conf/processor'
import {
  type ConnectionOptions,
  connect,
  credsAuthenticator,
  ErrorCode,
  Events,
  type Msg,
  MsgHdrsImpl,
  type NatsConnection,
  NatsError,
  type Subscription,
} from 'nats'
import type { KeyValue, KeyValueOptions } from '../key-value/key-value.ts'
import { openNatsKeyValue } from '../key-value/nats-key-value.ts'
import type { Logger } from '../logger.ts'
import { waitFor, withinTime } from '../wait.ts'
import type { BusClient, BusMessage, BusSubscription, RequestFailure, RequestOutcome, SubscribeOptions } from './bus.ts'
import type { BusOptions } from './bus-options.ts'
import type { BusStreams } from './bus-streams.ts'
import { boundDecoding, messageHeader } from './message-header.ts'
import { openNatsStreams } from './nats-streams.ts'

export type ConnectOptions = BusOptions & {
  /** The connection's name in the bus's monitoring. */
  readonly name: string
  readonly logger: Logger
  /** Ends the wait for the first connection and for subscriptions. */
  readonly signal?: AbortSignal
  /** 0 ≤ n < 1; spreads the reconnections of many clients. */
  readonly random?: () => number
}

const CONNECT_TIMEOUT_MS = 5_000
const FLUSH_TIMEOUT_MS = 5_000
/** The client closes a dead connection after two missing answers to pings; the library's default takes four minutes. */
const PING_INTERVAL_MS = 10_000
const RECONNECT_MIN_MS = 200
const RECONNECT_JITTER_MS = 800
const RESUBSCRIBE_MS = 5_000

/** Connects, with retries until the signal aborts (then undefined). A lost connection is made again, for ever. */
export async function connectBus(options: ConnectOptions): Promise<BusClient | undefined> {
  boundDecoding(MsgHdrsImpl)
  const { logger, signal } = options
  let lastCode = ''
  while (signal?.aborted !== true) {
    try {
      return new NatsBus(await connect(await natsOptions(options)), options)
    } catch (error) {
      const code = errorCode(error)
      // One log line for each reason: the bus may be away for hours.
      if (code !== lastCode) logger.warn({ code }, 'bus not reachable')
      lastCode = code
    }
    if (!(await waitFor(reconnectDelay(options), signal))) break
  }
  return undefined
}

class NatsBus implements BusClient {
  readonly closed: Promise<void>
  readonly streams: BusStreams
  readonly #connection: NatsConnection
  readonly #logger: Logger
  readonly #signal: AbortSignal | undefined
  #connected = true

  constructor(connection: NatsConnection, options: ConnectOptions) {
    this.#connection = connection
    this.#logger = options.logger
    this.#signal = options.signal
    this.streams = openNatsStreams(connection, options.logger)
    this.closed = connection.closed().then(() => {
      this.#connected = false
    })
    // Ends with the connection; the client's status iterator never rejects.
    void this.#followStatus()
  }

  get connected(): boolean {
    return this.#connected
  }

  async subscribe(options: SubscribeOptions): Promise<BusSubscription> {
    const subscription = new QueueSubscription(this.#connection, options, this.#logger)
    while (this.#signal?.aborted !== true && !this.#connection.isClosed()) {
      const flushed = await withinTime(this.#flushed(), FLUSH_TIMEOUT_MS)
      // A refusal arrives before the PONG, so a refused subscription is closed by now.
      if (flushed === true && subscription.active) break
      if (!(await waitFor(RECONNECT_MIN_MS, this.#signal))) break
    }
    return subscription
  }

  async request(subject: string, bytes: Uint8Array, timeoutMs: number): Promise<RequestOutcome> {
    if (!this.#connected) return { kind: 'failed', error: 'disconnected' }
    try {
      const reply = await this.#connection.request(subject, bytes, { timeout: timeoutMs })
      return { kind: 'reply', bytes: reply.data }
    } catch (error) {
      return { kind: 'failed', error: requestError(error) }
    }
  }

  publish(subject: string, bytes: Uint8Array): boolean {
    if (!this.#connected) return false
    return taken(() => this.#connection.publish(subject, bytes))
  }

  keyValue(options: KeyValueOptions): KeyValue {
    return openNatsKeyValue(this.#connection, options, this.#logger)
  }

  async flush(): Promise<void> {
    await withinTime(this.#flushed(), FLUSH_TIMEOUT_MS)
  }

  async close(): Promise<void> {
    if (this.#connected) await this.flush()
    await this.#connection.close()
  }

  async #flushed(): Promise<boolean> {
    await this.#connection.flush()
    return true
  }

  async #followStatus(): Promise<void> {
    for await (const status of this.#connection.status()) {
      if (status.type === Events.Disconnect) {
        this.#connected = false
        this.#logger.warn({}, 'bus disconnected')
      }
      if (status.type === Events.Reconnect) {
        this.#connected = true
        this.#logger.info({}, 'bus reconnected')
      }
    }
  }
}

class QueueSubscription implements BusSubscription {
  readonly #connection: NatsConnection
  readonly #options: SubscribeOptions
  readonly #logger: Logger
  #subscription: Subscription
  #again: NodeJS.Timeout | undefined
  #draining = false

  constructor(connection: NatsConnection, options: SubscribeOptions, logger: Logger) {
    this.#connection = connection
    this.#options = options
    this.#logger = logger
    this.#subscription = this.#subscribe()
  }

  get active(): boolean {
    return !this.#subscription.isClosed()
  }

  async drain(): Promise<void> {
    this.#draining = true
    clearTimeout(this.#again)
    if (this.active) await withinTime(this.#subscription.drain(), FLUSH_TIMEOUT_MS)
  }

  #subscribe(): Subscription {
    return this.#connection.subscribe(this.#options.subject, {
      queue: this.#options.queue,
      callback: (error, message) => (error === null ? this.#receive(message) : this.#refused(error)),
    })
  }

  /** Catches exceptions of `receive`: they would end the client's reading of the connection. */
  #receive(message: Msg): void {
    try {
      this.#options.receive(busMessage(message, this.#connection))
    } catch (error) {
      this.#logger.error({ code: 'RECEIVE', name: errorName(error) }, 'message could not be received from the bus')
    }
  }

  /** Subscribes again later: the bus has closed a forbidden subscription, and its permissions may change. */
  #refused(error: NatsError): void {
    if (this.#draining) return
    this.#logger.error({ code: errorCode(error), subject: this.#options.subject }, 'bus refused the subscription')
    this.#again = setTimeout(() => {
      if (!this.#connection.isClosed()) this.#subscription = this.#subscribe()
    }, RESUBSCRIBE_MS).unref()
  }
}

function busMessage(message: Msg, connection: NatsConnection): BusMessage {
  return {
    get bytes() {
      return message.data
    },
    header: (name) => messageHeader(message, name),
    respond: responder(message.reply, connection),
  }
}

/** Stands for a wrong byte in the text of a reply subject that is not UTF-8. */
const WRONG_BYTE = '\uFFFD'

/**
 * Returns the function that replies. It is made here because a function keeps all variables of the scope that it is made
 * in, and `respond` must not keep the message. A reply subject that is not UTF-8 counts as none: the reply would reach
 * nobody, and with three bytes for each wrong one, its line may be so long that the server ends the connection.
 */
function responder(reply: string | undefined, connection: NatsConnection): BusMessage['respond'] {
  if (reply === undefined || reply === '' || reply.includes(WRONG_BYTE)) return () => false
  return (bytes) => taken(() => connection.publish(reply, bytes))
}

/**
 * Returns whether the client took a message. Publishing throws when the payload is too large or the connection is
 * closed.
 */
function taken(publish: () => unknown): boolean {
  try {
    return publish() !== false
  } catch (error) {
    if (error instanceof NatsError) return false
    throw error
  }
}

async function natsOptions(options: ConnectOptions): Promise<ConnectionOptions> {
  const { address, tls } = options
  const hostname = address.hostname.includes(':') ? `[${address.hostname}]` : address.hostname
  return {
    servers: `${hostname}:${address.port}`,
    name: options.name,
    timeout: CONNECT_TIMEOUT_MS,
    pingInterval: PING_INTERVAL_MS,
    maxReconnectAttempts: -1,
    reconnectDelayHandler: () => reconnectDelay(options),
    // Keeps reconnecting when a restarted bus refuses the token; a later restart may accept it.
    ignoreAuthErrorAbort: true,
    // The addresses of the bus's peers can't be reached through a Service or a proxy.
    ignoreClusterUpdates: true,
    noAsyncTraces: true,
    // The library's own look-up knows neither /etc/hosts nor search domains, and waits for half a minute where no DNS
    // server answers. With TLS it carries the name to verify.
    resolve: tls !== undefined,
    ...(await credentials(options)),
    ...(tls === undefined ? {} : { tls: { ...tls } }),
  }
}

async function credentials({ credentials }: ConnectOptions): Promise<ConnectionOptions> {
  switch (credentials.kind) {
    case 'none':
      return {}
    case 'token':
      return { token: credentials.token }
    case 'user':
      return { user: credentials.user, pass: credentials.password }
    case 'file':
      return { authenticator: credsAuthenticator(await readSmallFile(credentials.file)) }
    default:
      return credentials satisfies never
  }
}

function reconnectDelay({ random = Math.random }: ConnectOptions): number {
  return RECONNECT_MIN_MS + random() * RECONNECT_JITTER_MS
}

function requestError(error: unknown): RequestFailure {
  switch (errorCode(error)) {
    case ErrorCode.Timeout:
      return 'timeout'
    case ErrorCode.NoResponders:
      return 'no responders'
    case ErrorCode.MaxPayloadExceeded:
      return 'too large'
    case ErrorCode.PermissionsViolation:
      return 'not allowed'
    default:
      return 'disconnected'
  }
}

function errorName(error: unknown): string {
  return error instanceof Error ? error.name : 'unknown'
}
