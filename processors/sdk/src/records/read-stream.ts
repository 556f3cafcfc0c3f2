import type { BusStreams, ConsumerStart, Pull, StreamMessage } from '../bus/bus-streams.ts'
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
 * lost connection, goes on after the last message. Ends at once when the stream doesn't exist.
 */
export async function* readStream(options: ReadStreamOptions): AsyncGenerator<StreamMessage, void> {
  const { streams, stream, follow, signal, silenceLimit } = options
  const state = await streams.state(stream)
  if (state.kind !== 'found') return
  const { first, last } = state.value
  if (!follow && first > last) return
  let { start } = options
  let answeredMs = performance.now()
  while (!signal.aborted) {
    if (silenceLimit !== undefined && performance.now() - answeredMs > silenceLimit.ms) return silenceLimit.exceeded()
    const made = await streams.makeConsumer(stream, { start })
    if (made.kind === 'missing') return
    if (made.kind === 'found') {
      answeredMs = performance.now()
      for await (const message of messagesOf(made.value, options)) {
        answeredMs = performance.now()
        start = { kind: 'sequence', sequence: message.sequence + 1 }
        if (follow || message.sequence <= last) yield message
        if (!follow && message.sequence >= last) return await streams.removeConsumer(stream, made.value)
        if (signal.aborted) return await streams.removeConsumer(stream, made.value)
      }
      // A pull that ended without messages was answered, too.
      answeredMs = performance.now()
      // When the start lies after the newest message, no message ends the loop.
      if (!follow && !signal.aborted && (await isRead(options, made.value))) return
    }
    await waitFor(RETRY_MS, signal)
  }
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
