import type { LargeMessages } from './message-threads.ts'
import type { AnswerFunction } from './reply.ts'

/** Reads a large message in a thread and passes only the named fields, which must be small, to `answer`. */
export function selectedFields(names: readonly string[], answer: AnswerFunction): LargeMessages {
  return {
    program: new URL('./selected-fields-thread.ts', import.meta.url),
    data: names,
    conclude: (value, call) => answer(value instanceof Map ? value : new Map(), call),
  }
}
