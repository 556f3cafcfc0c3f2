import { decodeMessage } from '@llm-gateway/protocol'
import type { KeyValue } from '@llm-gateway/sdk'
import { SeenRecords } from './seen-records.ts'

/** The sink's progress and the creation time of its stream. */
export type SinkProgress = { readonly created: string; readonly floor: number }

/** The state that a sink keeps over restarts. */
export type SinkMemory = {
  /** The records that the target has. */
  readonly seen: SeenRecords
  /** Returns the stored progress; `created` is the creation time of the current stream. Undefined: the sink is new. */
  progress(created: string): Promise<SinkProgress | undefined>
  /** Stores the progress. Never rejects; after a failure the next call stores its own. */
  remember(progress: SinkProgress): Promise<void>
}

export type BusMemoryOptions = {
  readonly stream: string
  /** The sink's name. */
  readonly sink: string
  /** Opens the bucket of the sinks. */
  readonly store: () => KeyValue
}

/**
 * Makes the memory of a sink whose target can't store it: the bus keeps the position, the process keeps the seen ids.
 */
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
      // Older versions used the sink's name alone as the key, which sinks of two gateways on one bus shared.
      const older = await placeAt(sink)
      return older?.created === created ? older : undefined
    },
    remember: async ({ created, floor }) => {
      // Only these two fields: `floor` of a Position is a getter, which JSON would leave out.
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
