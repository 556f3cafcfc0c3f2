import type { BusStreams, ConsumerStart, Pull, StreamMessage, StreamState } from '../bus/bus-streams.ts'
import { waitFor } from '../wait.ts'

export type ReadStreamOptions = {
  readonly streams: BusStreams
  readonly stream: string
  readonly start: ConsumerStart
  /** True: goes on with new messages. False: ends with the message that is the newest at the start. */
  readonly follow: boolean
  readonly signal: AbortSignal
  /** Ends the reading when the bus is silent for `ms`; absent: the reading waits for ever. */
  readonly silenceLimit?: SilenceLimit | undefined
}

export type SilenceLimit = { readonly ms: number; readonly exceeded: () => void }

/** The bounds of one pull; `bytes` is the size of the bus's largest message. */
const PULL = { messages: 256, bytes: 32 * 1024 * 1024, waitMs: 5_000 }
const RETRY_MS = 250

/**
 * Reads a stream in order with a consumer of its own, so other readers lose no message. Holds at most 32 MiB. After a
 * lost connection, goes on after the last message, or with `follow` at the beginning of a stream that was made anew
 * meanwhile. Ends when the stream doesn't exist. Where the bus doesn't answer at the start, only a follower waits.
 */
export async function* readStream(options: ReadStreamOptions): AsyncGenerator<StreamMessage, void> {
  const { streams, stream, follow, signal, silenceLimit } = options
  const begun = await stateAtStart(options)
  if (begun === undefined) return
  const { first, last } = begun
  if (!follow && first > last) return
  let { created } = begun
  let { start } = options
  let answeredMs = performance.now()
  while (!signal.aborted) {
    if (isSilent(silenceLimit, answeredMs)) return silenceLimit?.exceeded()
    const made = await consumerOf(options, { start, created })
    if (made.kind === 'gone' || (made.kind === 'anew' && !follow)) return
    if (made.kind === 'anew') {
      created = made.created
      start = { kind: 'beginning' }
    }
    if (made.kind === 'made') {
      const { name } = made
      answeredMs = performance.now()
      for await (const message of messagesOf(name, options)) {
        answeredMs = performance.now()
        start = { kind: 'sequence', sequence: message.sequence + 1 }
        if (follow || message.sequence <= last) yield message
        if (!follow && message.sequence >= last) return await streams.removeConsumer(stream, name)
        if (signal.aborted) return await streams.removeConsumer(stream, name)
      }
      // A pull that ended without messages was answered, too.
      answeredMs = performance.now()
      // When the start lies after the newest message, no message ends the loop.
      if (!follow && !signal.aborted && (await isRead(options, name))) return
    }
    await waitFor(RETRY_MS, signal)
  }
}

function isSilent(limit: SilenceLimit | undefined, sinceMs: number): boolean {
  return limit !== undefined && performance.now() - sinceMs > limit.ms
}

/** Returns the stream's state; undefined if it doesn't exist, or if the bus doesn't answer and the reader doesn't wait. */
async function stateAtStart(options: ReadStreamOptions): Promise<StreamState | undefined> {
  const { streams, stream, follow, signal, silenceLimit } = options
  const beganMs = performance.now()
  for (;;) {
    const state = await streams.state(stream)
    if (state.kind === 'found') return state.value
    if (state.kind !== 'failed' || !follow) return undefined
    if (isSilent(silenceLimit, beganMs)) {
      silenceLimit?.exceeded()
      return undefined
    }
    if (!(await waitFor(RETRY_MS, signal))) return undefined
  }
}

type ConsumerPlace = { readonly start: ConsumerStart; readonly created: string }
type MadeConsumer =
  | { readonly kind: 'made'; readonly name: string }
  /** The stream doesn't exist. */
  | { readonly kind: 'gone' }
  /** The stream of this name is another one, whose messages count from 1 again. */
  | { readonly kind: 'anew'; readonly created: string }
  | { readonly kind: 'failed' }

/** Makes a consumer of the stream that was made at `created`. */
async function consumerOf({ streams, stream }: ReadStreamOptions, place: ConsumerPlace): Promise<MadeConsumer> {
  const made = await streams.makeConsumer(stream, { start: place.start })
  if (made.kind !== 'found') return { kind: made.kind === 'missing' ? 'gone' : 'failed' }
  // Asked after the consumer was made: a stream that is made anew later ends the consumer.
  const state = await streams.state(stream)
  const created = state.kind === 'found' ? state.value.created : undefined
  if (state.kind === 'found' && created === place.created) return { kind: 'made', name: made.value }
  await streams.removeConsumer(stream, made.value)
  if (created !== undefined) return { kind: 'anew', created }
  return { kind: state.kind === 'missing' ? 'gone' : 'failed' }
}

/**
 * Yields a consumer's messages. Ends with the consumer or the connection, and without `follow` after a second without
 * messages.
 */
async function* messagesOf(consumer: string, options: ReadStreamOptions): AsyncGenerator<StreamMessage, void> {
  const { streams, stream, follow, signal } = options
  for (;;) {
    const waiting: StreamMessage[] = []
    let changed = Promise.withResolvers<void>()
    const receive = (message: StreamMessage): void => {
      waiting.push(message)
      changed.resolve()
    }
    const waitMs = follow ? PULL.waitMs : 1_000
    const pull: Pull = streams.pull({ ...PULL, waitMs, stream, consumer, receive })
    const stop = (): void => pull.close()
    signal.addEventListener('abort', stop, { once: true })
    // The signal may have aborted while the consumer was made, or while the last message of a pull was used.
    if (signal.aborted) stop()
    let end: string | undefined
    // `ended` never rejects.
    void pull.ended.then((reason) => {
      end = reason
      changed.resolve()
    })
    try {
      while (end === undefined || waiting.length > 0) {
        for (const message of waiting.splice(0)) yield message
        if (end === undefined) await changed.promise
        changed = Promise.withResolvers<void>()
      }
    } finally {
      // A caller that has its last message returns at the `yield` above.
      if (end === undefined) pull.close()
      signal.removeEventListener('abort', stop)
    }
    if (end !== 'full' && !(follow && end === 'waited')) return
  }
}

async function isRead({ streams, stream }: ReadStreamOptions, consumer: string): Promise<boolean> {
  const state = await streams.consumer(stream, consumer)
  const isDone = state.kind === 'found' && state.value.pending === 0
  if (isDone) await streams.removeConsumer(stream, consumer)
  return isDone
}
