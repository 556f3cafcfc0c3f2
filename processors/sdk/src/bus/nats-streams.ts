import { errorCode } from '@llm-gateway/conf/failure'
import {
  AckPolicy,
  type ConsumerConfig,
  createInbox,
  DeliverPolicy,
  DiscardPolicy,
  ErrorCode,
  Events,
  headers,
  type JetStreamManager,
  Match,
  type Msg,
  type NatsConnection,
  NatsError,
  nanos,
  RetentionPolicy,
  StorageType,
} from 'nats'
import type { Logger } from '../logger.ts'
import {
  type BusStreams,
  type ConsumerSettings,
  type ConsumerStart,
  type ConsumerState,
  type KeptMessage,
  type Pull,
  type PullEnd,
  type PullOptions,
  STREAM_HEAD_BYTES,
  type StreamAnswer,
  type StreamMessage,
  type StreamSettings,
  type StreamState,
} from './bus-streams.ts'
import { messageHeader } from './message-header.ts'

const TIMEOUT_MS = 5_000
/**
 * The server delivers a message again after this long without an acknowledgement; a busy reader sends `keep` before.
 */
const ACK_WAIT_MS = 10_000
/** The sum over all readers of one consumer. */
const MOST_UNACKNOWLEDGED = 20_000
/** The server forgets a consumer without a name after this long without a reader. */
const FORGOTTEN_MS = 60_000
const DUPLICATE_WINDOW_MS = 600_000
/** The bus may report the end of a pull this much late. */
const LATE_MS = 2_000
const [ACK, WORKING, NAK] = ['+ACK', '+WPI', '-NAK'].map((text) => Buffer.from(text))
/** Error numbers of JetStream (nats-server, errors.json). */
const MISSING: ReadonlySet<number> = new Set([10_059, 10_014, 10_037, 10_043])
const NO_STORE: ReadonlySet<number> = new Set([10_035, 10_039, 10_076])

/**
 * Opens the bus's streams with the `nats` package. Pulls are requests of our own, since the package's pulls can't bound
 * messages and bytes at once.
 */
export function openNatsStreams(connection: NatsConnection, logger: Logger): BusStreams {
  const link = new PullLink(connection, logger)
  const manager = (): Promise<JetStreamManager> => connection.jetstreamManager({ timeout: TIMEOUT_MS, checkAPI: false })
  return {
    state: (stream) => answer(async () => streamState(await (await manager()).streams.info(stream))),
    makeStream: (settings) =>
      answer(async () => streamState(await (await manager()).streams.add(streamConfig(settings)))),
    consumer: (stream, name) => answer(async () => consumerState(await (await manager()).consumers.info(stream, name))),
    makeConsumer: (stream, settings) =>
      answer(async () => (await (await manager()).consumers.add(stream, consumerConfig(settings))).name),
    removeConsumer: async (stream, name) => {
      // A missing consumer needs no deletion; the server forgets a consumer that can't be reached here.
      await answer(async () => (await manager()).consumers.delete(stream, name))
    },
    pull: (options) => new NatsPull(link, options),
    message: (stream, sequence) =>
      answer(async () => keptMessage(await (await manager()).streams.getMessage(stream, { seq: sequence }))),
    removeMessage: (stream, sequence) =>
      answer(async () => {
        await (await manager()).streams.deleteMessage(stream, sequence)
        return undefined
      }),
    keep: (subject, bytes, fields) =>
      answer(async () => {
        const map = headers()
        for (const [name, value] of Object.entries(fields)) map.set(name, value)
        return (await connection.jetstream({ timeout: TIMEOUT_MS }).publish(subject, bytes, { headers: map })).seq
      }),
  }
}

/** The connection that pulls share; a lost connection ends all of them. */
class PullLink {
  readonly connection: NatsConnection
  readonly logger: Logger
  readonly pulls = new Set<NatsPull>()
  connected: boolean

  constructor(connection: NatsConnection, logger: Logger) {
    this.connection = connection
    this.logger = logger
    this.connected = !connection.isClosed()
    // Ends with the connection; the client's status iterator never rejects.
    void this.#followStatus()
  }

  async #followStatus(): Promise<void> {
    for await (const { type } of this.connection.status()) {
      if (type === Events.Disconnect) this.#lost()
      if (type === Events.Reconnect) this.connected = true
    }
    this.#lost()
  }

  #lost(): void {
    this.connected = false
    for (const pull of this.pulls) pull.end('lost')
  }
}

/** One request for messages; `ended` resolves once. */
class NatsPull implements Pull {
  readonly ended: Promise<PullEnd>
  readonly #options: PullOptions
  readonly #link: PullLink
  readonly #resolve: (end: PullEnd) => void
  #left: number
  #stop: () => void = () => undefined

  constructor(link: PullLink, options: PullOptions) {
    this.#options = options
    this.#link = link
    this.#left = options.messages
    const { promise, resolve } = Promise.withResolvers<PullEnd>()
    this.ended = promise
    this.#resolve = resolve
    // The library would queue the request and send it after the reconnection, when no caller waits for the messages.
    if (link.connected) this.#ask(link.connection)
    else resolve('lost')
  }

  close(): void {
    this.end('closed')
  }

  end(end: PullEnd): void {
    this.#stop()
    this.#link.pulls.delete(this)
    this.#resolve(end)
  }

  #ask(connection: NatsConnection): void {
    const { stream, consumer, messages: batch, bytes: max_bytes, waitMs } = this.#options
    const reply = createInbox()
    const subscription = connection.subscribe(reply, {
      callback: (error, message) => (error === null ? this.#receive(reply, message) : this.end('lost')),
    })
    const timer = setTimeout(() => this.end('waited'), waitMs + LATE_MS)
    this.#stop = () => {
      clearTimeout(timer)
      subscription.unsubscribe()
    }
    this.#link.pulls.add(this)
    const body = JSON.stringify({ batch, max_bytes, expires: nanos(waitMs) })
    connection.publish(`$JS.API.CONSUMER.MSG.NEXT.${stream}.${consumer}`, Buffer.from(body), { reply })
  }

  /** Catches exceptions: they would end the client's reading of the connection. */
  #receive(inbox: string, message: Msg): void {
    try {
      this.#take(inbox, message)
    } catch (error) {
      const name = error instanceof Error ? error.name : 'unknown'
      this.#link.logger.error({ code: 'RECEIVE', name }, 'message could not be received from the bus')
    }
    if (this.#left === 0) this.end('full')
  }

  #take(inbox: string, message: Msg): void {
    if (message.subject === inbox) {
      this.end(endOf(message))
      return
    }
    this.#left -= 1
    const received = streamMessage(message, this.#link.connection)
    if (received !== undefined) this.#options.receive(received)
  }
}

/**
 * Maps a status to the reason: 404 and 408: no message in time; 409: the bytes were reached, or the consumer was
 * deleted; 503: no consumer.
 */
function endOf({ headers: fields }: Msg): PullEnd {
  const code = fields?.code ?? 0
  const text = fields?.description.toLowerCase() ?? ''
  if (code === 503 || (code === 409 && text.includes('consumer deleted'))) return 'gone'
  return code === 409 ? 'full' : 'waited'
}

function streamMessage(message: Msg, connection: NatsConnection): StreamMessage | undefined {
  const tokens = (message.reply ?? '').split('.')
  if (tokens[0] !== '$JS' || tokens[1] !== 'ACK' || tokens.length < 9) return undefined
  // $JS.ACK.[<domain>.<account>.]<stream>.<consumer>.<deliveries>.<sequence>.<delivery>.<time>.<pending>[.<random>]
  const at = tokens.length === 9 ? 4 : 6
  return {
    get bytes() {
      return message.data
    },
    sequence: Number(tokens[at + 1]),
    timeMs: Math.floor(Number(tokens[at + 3]) / 1_000_000),
    header: (name) => messageHeader(message, name),
    ...answersTo(message.reply ?? '', connection),
  }
}

/**
 * Makes the answers to a message. Functions made beside `header` would share its scope, and with it the message: a
 * reader that holds thousands of answers would hold the headers, too.
 */
function answersTo(reply: string, connection: NatsConnection): Pick<StreamMessage, 'acknowledge' | 'keep' | 'release'> {
  const respond = (word: Uint8Array | string | undefined): void => {
    try {
      connection.publish(reply, word)
    } catch (error) {
      // The connection is closed; the server will deliver the message again.
      if (!(error instanceof NatsError)) throw error
    }
  }
  return {
    acknowledge: () => respond(ACK),
    keep: () => respond(WORKING),
    // The server takes a delay in whole nanoseconds only, and with any other it delivers the message at once.
    release: (delayMs = 0) =>
      respond(delayMs > 0 ? `-NAK ${JSON.stringify({ delay: nanos(Math.ceil(delayMs)) })}` : NAK),
  }
}

type StreamInfo = Awaited<ReturnType<JetStreamManager['streams']['info']>>
type ConsumerInfo = Awaited<ReturnType<JetStreamManager['consumers']['info']>>
type StoredMessage = Awaited<ReturnType<JetStreamManager['streams']['getMessage']>>

function streamState({ created, state, config }: StreamInfo): StreamState {
  const { first_seq, last_seq, last_ts, messages } = state
  const lastMs = Math.max(0, Date.parse(last_ts))
  const mostBytes = mostBytesOf(config)
  return { created, first: messages === 0 ? last_seq + 1 : first_seq, last: last_seq, lastMs, mostBytes }
}

/** A limit of -1 or 0 means none. */
function mostBytesOf({ max_bytes, max_msg_size }: StreamInfo['config']): number | undefined {
  const most = Math.min(
    max_bytes > 0 ? max_bytes - STREAM_HEAD_BYTES : Number.POSITIVE_INFINITY,
    max_msg_size > 0 ? max_msg_size : Number.POSITIVE_INFINITY,
  )
  return Number.isFinite(most) ? most : undefined
}

function consumerState({ ack_floor, num_pending, num_ack_pending }: ConsumerInfo): ConsumerState {
  return { floor: ack_floor.stream_seq, pending: num_pending, unacknowledged: num_ack_pending }
}

function keptMessage({ data: bytes, seq: sequence, time, header }: StoredMessage): KeptMessage {
  return {
    bytes,
    sequence,
    timeMs: time.getTime(),
    header: (name) => (header.has(name, Match.IgnoreCase) ? header.get(name, Match.IgnoreCase) : undefined),
  }
}

function streamConfig({ name, subject, maxBytes, maxAgeMs }: StreamSettings) {
  return {
    name,
    subjects: [subject],
    retention: RetentionPolicy.Limits,
    discard: DiscardPolicy.Old,
    storage: StorageType.File,
    max_bytes: maxBytes,
    max_msg_size: maxBytes - STREAM_HEAD_BYTES,
    max_age: nanos(maxAgeMs),
    duplicate_window: nanos(DUPLICATE_WINDOW_MS),
  }
}

function consumerConfig({ start, name }: ConsumerSettings): Partial<ConsumerConfig> {
  if (name === undefined) {
    return { ...startConfig(start), ack_policy: AckPolicy.None, inactive_threshold: nanos(FORGOTTEN_MS) }
  }
  return {
    ...startConfig(start),
    durable_name: name,
    ack_policy: AckPolicy.Explicit,
    ack_wait: nanos(ACK_WAIT_MS),
    max_ack_pending: MOST_UNACKNOWLEDGED,
    max_deliver: -1,
  }
}

function startConfig(start: ConsumerStart): Partial<ConsumerConfig> {
  switch (start.kind) {
    case 'beginning':
      return { deliver_policy: DeliverPolicy.All }
    case 'now':
      return { deliver_policy: DeliverPolicy.New }
    case 'sequence':
      return { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: start.sequence }
    case 'time':
      // The bus reads no year before 0, and an age may be longer than that.
      return {
        deliver_policy: DeliverPolicy.StartTime,
        opt_start_time: new Date(Math.max(0, start.timeMs)).toISOString(),
      }
    default:
      return start satisfies never
  }
}

async function answer<Value>(ask: () => Promise<Value>): Promise<StreamAnswer<Value>> {
  try {
    return { kind: 'found', value: await ask() }
  } catch (error) {
    if (error instanceof NatsError) {
      const code = error.api_error?.err_code ?? 0
      if (MISSING.has(code)) return { kind: 'missing' }
      if (NO_STORE.has(code) || error.code === ErrorCode.NoResponders) return { kind: 'no store' }
      if (code > 0) return { kind: 'failed', code: `STORE_${code}` }
    }
    return { kind: 'failed', code: errorCode(error) }
  }
}
