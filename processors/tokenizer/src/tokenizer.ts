import type { ProcessorDefinition } from '@llm-gateway/sdk'
import { createCountTokens } from './count-tokens.ts'
import { createCounter } from './counter.ts'
import { encodingsOf, type TokenizerSettings, tokenizerSettings } from './settings.ts'

/**
 * The short messages in work, two of a router that is alone. Their texts wait for one thread: of 32 messages of a
 * router, each of which takes 160 ms to count, another router's message would wait for all.
 */
const CONCURRENCY = 4

/**
 * Defines the processor that counts the tokens of requests and answers, in the same way for every LLM API
 * (docs/reference/processors.md#tokenizer).
 */
export function tokenizer(version: string): ProcessorDefinition<TokenizerSettings> {
  return {
    name: 'tokenizer',
    version,
    settings: tokenizerSettings,
    create: (settings, { logger }) => {
      const counter = createCounter({ encodings: encodingsOf(settings), logger })
      const program = new URL('./message-thread.ts', import.meta.url)
      return {
        answer: createCountTokens({ settings, counter }),
        large: { program, data: settings },
        concurrency: CONCURRENCY,
        ready: counter.ready,
        close: counter.close,
      }
    },
  }
}
