import { MESSAGE_ID_HEADER } from '@llm-gateway/protocol'
import type { BusClient } from '@llm-gateway/sdk'
import type { OutcomeCounts } from '../delivery/outcome-counts.ts'
import type { SinkRecord } from '../targets/writer.ts'
import { heldBytes, ownBytes } from './held-record.ts'
import { RecordQueue } from './record-queue.ts'
import { type BatchLimits, SOURCE_BYTES, type Source } from './source.ts'

export type CoreSourceOptions = {
  readonly bus: BusClient
  readonly subject: string
  /** The queue group: replicas of one sink share the records. */
  readonly service: string
  readonly limits: BatchLimits
  readonly counts: OutcomeCounts
}

/** Records taken as they are published, for a bus that keeps none. Records without room are lost and counted. */
export type CoreSource = Source & {
  /** Takes no more records; `take` still returns those received. */
  end(): Promise<void>
  /** The number of records that are not settled. */
  readonly left: number
}

export async function openCoreSource(options: CoreSourceOptions): Promise<CoreSource> {
  const { bus, subject, service, limits, counts } = options
  const queue = new RecordQueue(limits)
  let held = 0
  let records = 0
  let ended = false
  const postponed = new Map<SinkRecord, NodeJS.Timeout>()
  const takeBack = (record: SinkRecord): void => {
    clearTimeout(postponed.get(record))
    postponed.delete(record)
    queue.add(record)
  }
  const subscription = await bus.subscribe({
    subject,
    queue: service,
    receive: (message) => {
      const { bytes } = message
      const id = message.header(MESSAGE_ID_HEADER)
      const named = id === undefined ? {} : { id }
      const size = heldBytes({ bytes, ...named })
      // Twice the bound of a stream's source: no stream keeps the records that are dropped here.
      if (held + size > 2 * SOURCE_BYTES) return counts.failed(1, 'QUEUE_FULL')
      held += size
      records += 1
      queue.add({ bytes: ownBytes(bytes), ...named })
    },
  })
  return {
    take: async () => {
      while (queue.length === 0) {
        if (ended) return undefined
        await queue.change()
      }
      return await queue.gather(() => ended)
    },
    settle: (record: SinkRecord) => {
      held -= heldBytes(record)
      records -= 1
    },
    postpone: (record: SinkRecord, delayMs: number) => {
      if (ended) queue.add(record)
      else
        postponed.set(
          record,
          setTimeout(() => takeBack(record), delayMs),
        )
    },
    end: async () => {
      await subscription.drain()
      ended = true
      for (const record of [...postponed.keys()]) takeBack(record)
      queue.wake()
    },
    get left() {
      return records
    },
  }
}
