import { decodeMessage } from '@llm-gateway/protocol'
import type { KeyValue } from '@llm-gateway/sdk'
import { SeenRecords } from './seen-records.ts'

/** How far the sink had come, and in which stream. */
export type Reached = { readonly created: string; readonly floor: number }

/** What a sink knows after a restart. */
export type SinkMemory = {
  /** The records that the target has. */
  readonly seen: SeenRecords
  /** Undefined: a new sink. */
  reached(): Promise<Reached | undefined>
  /** Never rejects; what isn't written now is written with the next one. */
  remember(reached: Reached): Promise<void>
}

/** The memory of a sink whose target has no place for it: its position is kept on the bus, the ids that it saw only while it runs. */
export function createBusMemory(sink: string, store: () => KeyValue): SinkMemory {
  let written = ''
  return {
    seen: new SeenRecords(),
    reached: async () => {
      const outcome = await store().get(sink)
      return outcome.kind === 'found' ? reachedIn(decodeMessage(outcome.entry.value)) : undefined
    },
    remember: async (reached) => {
      const text = JSON.stringify(reached)
      if (text === written) return
      const outcome = await store().put(sink, Buffer.from(text))
      if (outcome.kind === 'written') written = text
    },
  }
}

export function reachedIn(fields: ReadonlyMap<string, unknown> | undefined): Reached | undefined {
  const created = fields?.get('created')
  const floor = fields?.get('floor')
  const isPlace = typeof created === 'string' && typeof floor === 'number' && Number.isSafeInteger(floor)
  return isPlace ? { created, floor } : undefined
}
