import type { RunningProcessor } from './definition.ts'
import type { LargeMessages } from './message-threads.ts'

/** Reads a large message in a thread and passes only the named fields, which must be small, to `answer`. */
export function selectedFields(names: readonly string[], answer: RunningProcessor['answer']): LargeMessages {
  return {
    program: new URL('./selected-fields-thread.ts', import.meta.url),
    data: names,
    conclude: (value, call) => answer(value instanceof Map ? value : new Map(), call),
  }
}
