import { decodeMessage } from '@llm-gateway/protocol'
import type { KeyValue } from '@llm-gateway/sdk'
import { SeenRecords } from './seen-records.ts'

/** How far the sink had come, and in which stream. */
export type SinkProgress = { readonly created: string; readonly floor: number }

/** What a sink knows after a restart. */
export type SinkMemory = {
  /** The records that the target has. */
  readonly seen: SeenRecords
  /** `created` is that of the stream that is there. Undefined: a new sink. */
  progress(created: string): Promise<SinkProgress | undefined>
  /** Never rejects; what isn't written now is written with the next one. */
  remember(progress: SinkProgress): Promise<void>
}

export type BusMemoryOptions = {
  readonly stream: string
  /** The sink's name. */
  readonly sink: string
  /** The bucket of sinks. */
  readonly store: () => KeyValue
}

/** The memory of a sink whose target has no place for it: its position is kept on the bus, the ids that it saw only while it runs. */
export function createBusMemory({ stream, sink, store }: BusMemoryOptions): SinkMemory {
  const key = `place ${stream} ${sink}`
  let written = ''
  const placeAt = async (at: string): Promise<SinkProgress | undefined> => {
    const outcome = await store().get(at)
    return outcome.kind === 'found' ? progressIn(decodeMessage(outcome.entry.value)) : undefined
  }
  return {
    seen: new SeenRecords(),
    progress: async (created) => {
      const place = await placeAt(key)
      if (place !== undefined) return place
      // Older versions kept it under the sink's name alone, where sinks of two gateways on one bus met.
      const older = await placeAt(sink)
      return older?.created === created ? older : undefined
    },
    remember: async ({ created, floor }) => {
      // Not the whole of what came: of a position, whose floor is a getter, JSON would have no floor.
      const text = JSON.stringify({ created, floor })
      if (text === written) return
      const outcome = await store().put(key, Buffer.from(text))
      if (outcome.kind === 'written') written = text
    },
  }
}

export function progressIn(fields: ReadonlyMap<string, unknown> | undefined): SinkProgress | undefined {
  const created = fields?.get('created')
  const floor = fields?.get('floor')
  const isPlace = typeof created === 'string' && typeof floor === 'number' && Number.isSafeInteger(floor)
  return isPlace ? { created, floor } : undefined
}
