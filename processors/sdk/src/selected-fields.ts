import type { RunningProcessor } from './definition.ts'
import type { LargeMessages } from './message-threads.ts'

/** For a processor that needs a few small fields of a message: a thread reads the message, and `answer` gets these alone. */
export function selectedFields(names: readonly string[], answer: RunningProcessor['answer']): LargeMessages {
  return {
    program: new URL('./selected-fields-thread.ts', import.meta.url),
    data: names,
    conclude: (value, call) => answer(value instanceof Map ? value : new Map(), call),
  }
}
