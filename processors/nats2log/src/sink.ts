import { createRepeatFilter, MESSAGE_ID_HEADER } from '@llm-gateway/protocol'
import { type BusClient, type BusMessage, type Logger, withinTime } from '@llm-gateway/sdk'
import { Delivery } from './delivery.ts'
import { Tally } from './tally.ts'
import type { SinkRecord, Writer } from './writer.ts'

export type SinkOptions = {
  readonly bus: BusClient
  /** Where the records are published. */
  readonly subject: string
  /** The service's name, also the queue group: replicas of one sink share the records, another sink gets all of them too. */
  readonly service: string
  readonly writer: Writer
  readonly logger: Logger
  readonly retries: number
  readonly retryDelayMs: number
  /** Default 64 MiB. */
  readonly queueBytes?: number
}

export type Sink = {
  /** Takes no more records, writes those it has, reports and closes the writer. */
  drain(): Promise<void>
}

const QUEUE_BYTES = 64 * 1024 * 1024
const REPORT_MS = 60_000
/** Below the 30 s after which Kubernetes kills. */
const DRAIN_MS = 20_000
const CLOSE_MS = 2_000

/** Writes what is published on a subject, repeats left out; resolves once subscribed. */
export async function startSink(options: SinkOptions): Promise<Sink> {
  const { bus, subject, service, writer, logger } = options
  const tally = new Tally(logger)
  const repeats = createRepeatFilter()
  /** Of records that wait or are being written. */
  const underWay = new Set<string>()
  const settled = ({ id }: SinkRecord, isDelivered: boolean): void => {
    if (id === undefined) return
    underWay.delete(id)
    // Another one of a record that was lost is no repeat.
    if (isDelivered) repeats.add(id)
  }
  const delivery = new Delivery({ ...options, tally, queueBytes: options.queueBytes ?? QUEUE_BYTES, settled })
  const code = await writer.open()
  if (code !== undefined) logger.warn({ code }, 'writer not ready')
  const receive = (message: BusMessage): void => {
    const id = message.header(MESSAGE_ID_HEADER)
    if (id !== undefined && (repeats.has(id) || underWay.has(id))) tally.repeat()
    else {
      if (id !== undefined) underWay.add(id)
      delivery.take({ bytes: message.bytes, ...(id === undefined ? {} : { id }) })
    }
  }
  const subscription = await bus.subscribe({ subject, queue: service, receive })
  const timer = setInterval(() => tally.report(), REPORT_MS)
  return {
    drain: async () => {
      clearInterval(timer)
      await subscription.drain()
      await delivery.drain(DRAIN_MS)
      await withinTime(writer.close(), CLOSE_MS)
      tally.report()
    },
  }
}
