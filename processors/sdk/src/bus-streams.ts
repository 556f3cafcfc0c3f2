/** A message of a stream, until it is acknowledged. */
export type StreamMessage = {
  readonly bytes: Uint8Array
  /** Its place in the stream, counted from 1. */
  readonly sequence: number
  /** When the stream took it, milliseconds since the epoch. */
  readonly timeMs: number
  /** The first value of a bus header, undefined where the message has none of that name. */
  header(name: string): string | undefined
  /** The consumer's server forgets it. */
  acknowledge(): void
  /** The server waits for the acknowledgement anew. */
  keep(): void
  /** The server gives it to whoever asks next. */
  release(): void
}

export type StreamState = {
  /** RFC 3339: with its name this tells a stream from one that was made anew. */
  readonly created: string
  /** Sequences of the oldest message that is kept and of the newest; `first` is `last + 1` where none is. */
  readonly first: number
  readonly last: number
}

export type ConsumerState = {
  /** All messages up to this sequence were acknowledged, or are no longer kept. */
  readonly floor: number
  /** Messages that nobody was given yet. */
  readonly pending: number
}

/** Where a new consumer begins. */
export type ConsumerStart =
  | { readonly kind: 'beginning' | 'now' }
  | { readonly kind: 'sequence'; readonly sequence: number }
  /** Milliseconds since the epoch. */
  | { readonly kind: 'time'; readonly timeMs: number }

export type ConsumerSettings = {
  readonly start: ConsumerStart
  /** One that outlives its readers, its messages acknowledged; without a name the server forgets it and no message waits. */
  readonly name?: string
}

export type StreamSettings = {
  readonly name: string
  readonly subject: string
  readonly maxBytes: number
  readonly maxAgeMs: number
}

export type StreamAnswer<Value> =
  | { readonly kind: 'found'; readonly value: Value }
  /** No such stream, consumer or message. */
  | { readonly kind: 'missing' }
  /** The bus keeps nothing: an older one, or one without JetStream. */
  | { readonly kind: 'no store' }
  | { readonly kind: 'failed'; readonly code: string }

/** Why a pull ended: `full` and `waited` are its limits, `gone` that there is no such consumer any more. */
export type PullEnd = 'full' | 'waited' | 'gone' | 'lost' | 'closed'

export type PullOptions = {
  readonly stream: string
  readonly consumer: string
  readonly messages: number
  /** At least as much as the largest message and its headers. */
  readonly bytes: number
  readonly waitMs: number
  readonly receive: (message: StreamMessage) => void
}

export type Pull = {
  readonly ended: Promise<PullEnd>
  /** What arrives later is not received; the server gives it to another one in time. */
  close(): void
}

export type KeptMessage = {
  readonly bytes: Uint8Array
  readonly sequence: number
  readonly timeMs: number
  header(name: string): string | undefined
}

/** The streams of the bus (JetStream). Nothing here rejects. */
export type BusStreams = {
  state(stream: string): Promise<StreamAnswer<StreamState>>
  /** Makes a stream that drops its oldest messages at its limits. */
  makeStream(settings: StreamSettings): Promise<StreamAnswer<StreamState>>
  consumer(stream: string, name: string): Promise<StreamAnswer<ConsumerState>>
  /** The name of the consumer that was made. */
  makeConsumer(stream: string, settings: ConsumerSettings): Promise<StreamAnswer<string>>
  removeConsumer(stream: string, name: string): Promise<void>
  pull(options: PullOptions): Pull
  /** Reads one message by its sequence. */
  message(stream: string, sequence: number): Promise<StreamAnswer<KeptMessage>>
  removeMessage(stream: string, sequence: number): Promise<StreamAnswer<undefined>>
  /** Publishes and waits until a stream has it; its sequence. */
  keep(subject: string, bytes: Uint8Array, headers: Readonly<Record<string, string>>): Promise<StreamAnswer<number>>
}
