import { isJsonObject } from '@llm-gateway/protocol'
import { createThread, type Logger, ThreadError } from '@llm-gateway/sdk'
import type { TextCount } from './count-text.ts'
import { COUNTING_MS, type CountCall, type CountReply, type CountRequest } from './counting.ts'
import type { EncodingName } from './encodings.ts'

export type Counter = {
  /** Counts texts; undefined when counting failed or took too long. Never rejects. */
  count(request: CountRequest, call?: CountCall): Promise<CountReply | undefined>
  /** False while the thread can't count. */
  ready(): boolean
  close(): Promise<void>
}

export type CounterOptions = {
  /** The encodings that the thread loads when it starts; requests name no others. */
  readonly encodings: readonly EncodingName[]
  readonly logger: Pick<Logger, 'warn'>
  /** The limit for one request in the thread, including its turn and the thread's start. */
  readonly timeoutMs?: number
}

/** Counts in a thread, one request after the other, so that a long text doesn't block the program. */
export function createCounter({ encodings, logger, timeoutMs = COUNTING_MS }: CounterOptions): Counter {
  const thread = createThread({
    program: new URL('./counting-thread.ts', import.meta.url),
    data: encodings,
    name: 'counting',
    logger,
  })
  return {
    count: async (request, { timeoutMs: limitMs = timeoutMs } = {}) => {
      try {
        // All texts have the same weight: where short texts always wait, a long one of another router would never be counted.
        const reply = await thread.ask(request, { weight: 1, timeoutMs: Math.min(limitMs, timeoutMs) })
        return Array.isArray(reply) ? reply.filter(isTextCount) : undefined
      } catch (error) {
        // The caller counts four characters a token; the lost thread is logged.
        if (error instanceof ThreadError) return undefined
        throw error
      }
    },
    ready: () => thread.ready,
    close: () => thread.close(),
  }
}

function isTextCount(value: unknown): value is TextCount {
  return isJsonObject(value) && typeof value.tokens === 'number' && typeof value.estimated === 'boolean'
}
