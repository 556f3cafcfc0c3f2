import { decodeMessage } from '@llm-gateway/protocol'
import type { KeyValue } from '@llm-gateway/sdk'
import { SeenRecords } from './seen-records.ts'

/**
 * The position of a sink in a stream: the stream's creation time, the last sequence before the first unsettled
 * sequence, and the time at which the stream stored the newest settled record (milliseconds since the epoch; older
 * versions did not keep it).
 */
export type Checkpoint = { readonly created: string; readonly floor: number; readonly newestMs?: number | undefined }

/** The state that a sink keeps over restarts. */
export type CheckpointStore = {
  /** The records that the target has. */
  readonly seen: SeenRecords
  /**
   * Returns the stored checkpoint; `created` is the creation time of the current stream. Undefined: the sink is new.
   */
  load(created: string): Promise<Checkpoint | undefined>
  /** Stores the checkpoint. Never rejects; after a failure the next call stores its own. */
  save(checkpoint: Checkpoint): Promise<void>
}

export type BusCheckpointOptions = {
  readonly stream: string
  /** The sink's name. */
  readonly sink: string
  /** Opens the bucket of the sinks. */
  readonly store: () => KeyValue
}

/**
 * Makes the checkpoints of a sink whose target can't store them: the bus keeps the position, the process keeps the
 * seen ids.
 */
export function createBusCheckpoints({ stream, sink, store }: BusCheckpointOptions): CheckpointStore {
  const key = `place ${stream} ${sink}`
  let written = ''
  const placeAt = async (at: string): Promise<Checkpoint | undefined> => {
    const outcome = await store().get(at)
    return outcome.kind === 'found' ? checkpointIn(decodeMessage(outcome.entry.value)) : undefined
  }
  return {
    seen: new SeenRecords(),
    load: async (created) => {
      const place = await placeAt(key)
      if (place !== undefined) return place
      // Older versions used the sink's name alone as the key, which sinks of two gateways on one bus shared.
      const older = await placeAt(sink)
      return older?.created === created ? older : undefined
    },
    save: async ({ created, floor, newestMs }) => {
      // The fields of a Position are getters, which JSON would leave out.
      const text = JSON.stringify({ created, floor, newestMs })
      if (text === written) return
      const outcome = await store().put(key, Buffer.from(text))
      if (outcome.kind === 'written') written = text
    },
  }
}

export function checkpointIn(fields: ReadonlyMap<string, unknown> | undefined): Checkpoint | undefined {
  const created = fields?.get('created')
  const floor = fields?.get('floor')
  const newest = fields?.get('newestMs')
  const isPlace = typeof created === 'string' && typeof floor === 'number' && Number.isSafeInteger(floor)
  return isPlace ? { created, floor, newestMs: typeof newest === 'number' ? newest : undefined } : undefined
}
