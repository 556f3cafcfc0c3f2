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
  /** Returns the bytes of the records that the sink has from an earlier source of this kind. */
  readonly leftBytes: () => number
}

/** The reason for the end of a source: a stream that has appeared, or the end of the sink. */
export type CoreEnd = 'stream' | 'exit'

/** Records taken as they are published, for a bus that keeps none. Records without room are lost and counted. */
export type CoreSource = Source & {
  /**
   * Takes no more records; `take` still returns those received. Those postponed are returned too before the sink ends:
   * it's their last chance. For a stream they stay in `unsettled`, because their tries may never end.
   */
  end(reason: CoreEnd): Promise<void>
  /** The records that are not settled. */
  readonly unsettled: readonly SinkRecord[]
}

/** The longest pause before another try while the sink waits for its end. */
const LAST_PAUSE_MS = 1_000

export async function openCoreSource(options: CoreSourceOptions): Promise<CoreSource> {
  const { bus, subject, service, limits, counts, leftBytes } = options
  const queue = new RecordQueue(limits)
  let held = 0
  const unsettled = new Set<SinkRecord>()
  let ended: CoreEnd | undefined
  const postponed = new Map<SinkRecord, NodeJS.Timeout | undefined>()
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
      if (held + leftBytes() + size > 2 * SOURCE_BYTES) return counts.failed(1, 'QUEUE_FULL')
      held += size
      const record = { bytes: ownBytes(bytes), ...named }
      unsettled.add(record)
      queue.add(record)
    },
  })
  return {
    take: async () => {
      while (queue.length === 0) {
        if (ended === 'stream' || (ended === 'exit' && postponed.size === 0)) return undefined
        await queue.change()
      }
      return await queue.gather(() => ended !== undefined)
    },
    settle: (record: SinkRecord) => {
      held -= heldBytes(record)
      unsettled.delete(record)
    },
    postpone: (record: SinkRecord, delayMs: number) => {
      const pauseMs = ended === undefined ? delayMs : Math.min(delayMs, LAST_PAUSE_MS)
      postponed.set(record, ended === 'stream' ? undefined : setTimeout(() => takeBack(record), pauseMs))
    },
    end: async (reason: CoreEnd) => {
      await subscription.drain()
      ended = reason
      if (reason === 'exit') for (const record of [...postponed.keys()]) takeBack(record)
      else for (const timer of postponed.values()) clearTimeout(timer)
      queue.wake()
    },
    get unsettled() {
      return [...unsettled]
    },
  }
}
