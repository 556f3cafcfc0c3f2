import type { BusStreams } from './bus-streams.ts'
import type { KeyValue, KeyValueOptions } from './key-value.ts'

/** A message a subscription received. */
export type BusMessage = {
  readonly bytes: Uint8Array
  /** The first value of a bus header, undefined where the message has none of that name. */
  header(name: string): string | undefined
  /** False where nobody waits for an answer or it is larger than the bus takes. */
  respond(bytes: Uint8Array): boolean
}

export type BusSubscription = {
  /** Takes no more messages; resolves when those under way have been received, or after 5 s. */
  drain(): Promise<void>
  /** False where the bus doesn't permit it; it asks again. */
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
  /** Resolves once the bus has the subscription, however long that takes; it survives reconnections. */
  subscribe(options: SubscribeOptions): Promise<BusSubscription>
  /** Never rejects. */
  request(subject: string, bytes: Uint8Array, timeoutMs: number): Promise<RequestOutcome>
  /** False where nothing was taken: not connected, or larger than the bus takes. */
  publish(subject: string, bytes: Uint8Array): boolean
  /** Opens a bucket, made where it doesn't exist; it outlives lost connections. */
  keyValue(options: KeyValueOptions): KeyValue
  /** What the bus keeps. */
  readonly streams: BusStreams
  /** Resolves when the connection is gone for good. */
  readonly closed: Promise<void>
  /** Sends what is still to be sent (at most 5 s) and disconnects. */
  close(): Promise<void>
}
