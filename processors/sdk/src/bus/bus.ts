import type { KeyValue, KeyValueOptions } from '../key-value/key-value.ts'
import type { BusStreams } from './bus-streams.ts'

/** A message received by a subscription. */
export type BusMessage = {
  readonly bytes: Uint8Array
  /**
   * Returns the first value of a bus header, whose name may have another case; undefined when the first 8 KiB and 64
   * lines of the headers lack it.
   */
  header(name: string): string | undefined
  /**
   * Returns false when the message has no reply subject, or the reply is larger than the bus takes. The function alone
   * keeps nothing of the message but its reply subject.
   */
  readonly respond: (bytes: Uint8Array) => boolean
}

export type BusSubscription = {
  /** Takes no more messages; resolves when all messages under way are received, or after 5 s. */
  drain(): Promise<void>
  /** False while the bus forbids the subscription; the client tries again every 5 s. */
  readonly active: boolean
}

export type RequestFailure = 'timeout' | 'no responders' | 'disconnected' | 'too large' | 'not allowed'

export type RequestOutcome =
  | { readonly kind: 'reply'; readonly bytes: Uint8Array }
  | { readonly kind: 'failed'; readonly error: RequestFailure }

export type SubscribeOptions = {
  readonly subject: string
  /** Members of one queue group share the messages. */
  readonly queue: string
  /** Called for each message as it arrives; an exception is logged. */
  readonly receive: (message: BusMessage) => void
}

/** A connection to the bus that is made again whenever it is lost. */
export type BusClient = {
  readonly connected: boolean
  /**
   * Resolves once the bus has taken the subscription, without a time limit. The subscription survives reconnections.
   */
  subscribe(options: SubscribeOptions): Promise<BusSubscription>
  /** Never rejects. */
  request(subject: string, bytes: Uint8Array, timeoutMs: number): Promise<RequestOutcome>
  /** Returns false when the client is disconnected or the message is larger than the bus takes. */
  publish(subject: string, bytes: Uint8Array): boolean
  /** Resolves once the bus has read everything that was sent; after 5 s at the latest. Never rejects. */
  flush(): Promise<void>
  /** Opens a bucket, which is made when it is missing; the returned store survives lost connections. */
  keyValue(options: KeyValueOptions): KeyValue
  /** The streams of the bus. */
  readonly streams: BusStreams
  /** Resolves when the connection is closed for good. */
  readonly closed: Promise<void>
  /** Flushes pending messages (at most 5 s) and disconnects. */
  close(): Promise<void>
}
