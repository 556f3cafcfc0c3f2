import { readFile } from 'node:fs/promises'
import {
  type ConnectionOptions,
  connect,
  credsAuthenticator,
  ErrorCode,
  Events,
  type Msg,
  type NatsConnection,
  NatsError,
  type Subscription,
} from 'nats'
import type { BusClient, BusMessage, BusSubscription, RequestFailure, RequestOutcome, SubscribeOptions } from './bus.ts'
import type { BusOptions } from './bus-options.ts'
import type { BusStreams } from './bus-streams.ts'
import { errorCode } from './failure.ts'
import type { KeyValue, KeyValueOptions } from './key-value.ts'
import type { Logger } from './logger.ts'
import { openNatsKeyValue } from './nats-key-value.ts'
import { openNatsStreams } from './nats-streams.ts'
import { waitFor, withinTime } from './wait.ts'

export type ConnectOptions = BusOptions & {
  /** Shown by the bus beside the connection. */
  readonly name: string
  readonly logger: Logger
  /** Ends the wait for the first connection and for subscriptions. */
  readonly signal?: AbortSignal
  /** 0 ≤ n < 1; spreads the reconnections of many clients. */
  readonly random?: () => number
}

const CONNECT_TIMEOUT_MS = 5_000
const FLUSH_TIMEOUT_MS = 5_000
/** A dead connection is noticed after at most two of them, not after the library's four minutes. */
const PING_INTERVAL_MS = 10_000
const RECONNECT_MIN_MS = 200
const RECONNECT_JITTER_MS = 800
const RESUBSCRIBE_MS = 5_000

/** Connects, as often as it takes; undefined when the signal ended the wait. Connections that are lost are made again forever. */
export async function connectBus(options: ConnectOptions): Promise<BusClient | undefined> {
  const { logger, signal } = options
  let lastCode = ''
  while (signal?.aborted !== true) {
    try {
      return new NatsBus(await connect(await natsOptions(options)), options)
    } catch (error) {
      const code = errorCode(error)
      // Once a reason: the bus may stay away for hours.
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
    this.streams = openNatsStreams(connection)
    this.closed = connection.closed().then(() => {
      this.#connected = false
    })
    // Ends with the connection and has no failure of its own.
    void this.#followStatus()
  }

  get connected(): boolean {
    return this.#connected
  }

  async subscribe(options: SubscribeOptions): Promise<BusSubscription> {
    const subscription = new QueueSubscription(this.#connection, options, this.#logger)
    while (this.#signal?.aborted !== true && !this.#connection.isClosed()) {
      const flushed = await withinTime(this.#flushed(), FLUSH_TIMEOUT_MS)
      // A refusal arrives before the PONG, so by now it would have closed the subscription.
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

  async close(): Promise<void> {
    if (this.#connected) await withinTime(this.#flushed(), FLUSH_TIMEOUT_MS)
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

  /** An exception must not leave: it would end the reading of the connection. */
  #receive(message: Msg): void {
    try {
      this.#options.receive(busMessage(message))
    } catch (error) {
      this.#logger.error({ code: 'RECEIVE', name: errorName(error) }, 'message not received')
    }
  }

  /** The bus closes a subscription it doesn't permit; its permissions may change while it runs. */
  #refused(error: NatsError): void {
    if (this.#draining) return
    this.#logger.error({ code: errorCode(error), subject: this.#options.subject }, 'bus refused the subscription')
    this.#again = setTimeout(() => {
      if (!this.#connection.isClosed()) this.#subscription = this.#subscribe()
    }, RESUBSCRIBE_MS).unref()
  }
}

function busMessage(message: Msg): BusMessage {
  return {
    get bytes() {
      return message.data
    },
    header: (name) => {
      const headers = message.headers
      return headers?.has(name) === true ? headers.get(name) : undefined
    },
    respond: (bytes) => taken(() => message.respond(bytes)),
  }
}

/** Publishing throws where the payload is larger than the bus takes, or the connection is closed. */
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
    // A bus that restarts with another token must find its clients again.
    ignoreAuthErrorAbort: true,
    // Addresses the bus tells of its peers aren't reachable through a Service or a proxy.
    ignoreClusterUpdates: true,
    noAsyncTraces: true,
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
      return { authenticator: credsAuthenticator(await readFile(credentials.file)) }
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
