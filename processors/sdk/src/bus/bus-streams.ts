/**
 * A message of a stream, held until it is acknowledged. `acknowledge`, `keep` and `release` can be kept without it, and
 * don't keep its bytes and headers in memory.
 */
export type StreamMessage = {
  readonly bytes: Uint8Array
  /** The message's place in the stream, counted from 1. */
  readonly sequence: number
  /** The time at which the stream stored the message, in milliseconds since the epoch. */
  readonly timeMs: number
  /**
   * Returns the first value of a bus header, whose name may have another case; undefined when the first 8 KiB and 64
   * lines of the headers lack it.
   */
  header(name: string): string | undefined
  /** Tells the server that the message is done; the consumer doesn't deliver it again. */
  acknowledge(): void
  /** Restarts the server's wait for the acknowledgement. */
  keep(): void
  /** Returns the message to the server, which delivers it to the next pull, after `delayMs` (default: at once). */
  release(delayMs?: number): void
}

export type StreamState = {
  /** RFC 3339. A stream that was made anew has the same name and another `created`. */
  readonly created: string
  /** Sequences of the oldest and the newest stored message; `first` is `last + 1` when the stream is empty. */
  readonly first: number
  readonly last: number
  /** The time at which the newest message was stored, in milliseconds since the epoch; 0 without one. */
  readonly lastMs: number
  /**
   * The size of the largest message with its headers that the stream takes and keeps, in bytes; undefined without a
   * limit. A stream that drops its oldest messages acknowledges a message larger than itself, and drops it at once.
   */
  readonly mostBytes: number | undefined
}

export type ConsumerState = {
  /** All messages up to this sequence were acknowledged or are no longer stored. */
  readonly floor: number
  /** The number of messages that were never delivered. */
  readonly pending: number
  /** The number of messages that were delivered and not acknowledged, by all readers of the consumer. */
  readonly unacknowledged: number
}

/** The place in the stream where a new consumer begins. */
export type ConsumerStart =
  | { readonly kind: 'beginning' | 'now' }
  | { readonly kind: 'sequence'; readonly sequence: number }
  /** Milliseconds since the epoch. */
  | { readonly kind: 'time'; readonly timeMs: number }

export type ConsumerSettings = {
  readonly start: ConsumerStart
  /**
   * The name of a durable consumer with acknowledgements. Without a name the server forgets the consumer and expects no
   * acknowledgement.
   */
  readonly name?: string
}

export type StreamSettings = {
  readonly name: string
  readonly subject: string
  /** The stream refuses a message that, with its headers, leaves less than `STREAM_HEAD_BYTES` of this. */
  readonly maxBytes: number
  readonly maxAgeMs: number
}

export type StreamAnswer<Value> =
  | { readonly kind: 'found'; readonly value: Value }
  /** The bus has no stream, consumer or message of that name or number. */
  | { readonly kind: 'missing' }
  /** The bus stores nothing: it runs without JetStream. */
  | { readonly kind: 'no store' }
  | { readonly kind: 'failed'; readonly code: string }

/**
 * The reason why a pull ended: `full` (messages or bytes), `waited` (time), `gone` (the consumer no longer exists),
 * `lost` (the connection), `closed` (by the caller).
 */
export type PullEnd = 'full' | 'waited' | 'gone' | 'lost' | 'closed'

export type PullOptions = {
  readonly stream: string
  readonly consumer: string
  readonly messages: number
  /** At least the size of the largest message with its headers. */
  readonly bytes: number
  readonly waitMs: number
  /** Called for each message as it arrives; an exception is logged. */
  readonly receive: (message: StreamMessage) => void
}

export type Pull = {
  readonly ended: Promise<PullEnd>
  /**
   * Ends the pull. Later messages aren't received; the server delivers them to another pull after the acknowledgement
   * wait.
   */
  close(): void
}

export type KeptMessage = {
  readonly bytes: Uint8Array
  readonly sequence: number
  readonly timeMs: number
  /** Returns a header like `StreamMessage`. */
  header(name: string): string | undefined
}

/** Room in a stream for what the server stores beside a message and its headers: the subject and 30 bytes. */
export const STREAM_HEAD_BYTES = 4096

/** The streams of the bus (JetStream). No method rejects. */
export type BusStreams = {
  state(stream: string): Promise<StreamAnswer<StreamState>>
  /** Makes a stream that drops its oldest messages at its limits. */
  makeStream(settings: StreamSettings): Promise<StreamAnswer<StreamState>>
  consumer(stream: string, name: string): Promise<StreamAnswer<ConsumerState>>
  /** Makes a consumer and returns its name. */
  makeConsumer(stream: string, settings: ConsumerSettings): Promise<StreamAnswer<string>>
  removeConsumer(stream: string, name: string): Promise<void>
  pull(options: PullOptions): Pull
  /** Reads one message by its sequence. */
  message(stream: string, sequence: number): Promise<StreamAnswer<KeptMessage>>
  removeMessage(stream: string, sequence: number): Promise<StreamAnswer<undefined>>
  /** Publishes, waits until a stream has stored the message, and returns its sequence. */
  keep(subject: string, bytes: Uint8Array, headers: Readonly<Record<string, string>>): Promise<StreamAnswer<number>>
}
