import type { ProcessorDefinition } from '@llm-gateway/sdk'
import { createCountTokens } from './count-tokens.ts'
import { createCounter } from './counter.ts'
import { type TokenizerSettings, tokenizerSettings } from './settings.ts'

/** Counts the tokens of requests and answers the same way whatever LLM they are for (specification, Processors, tokenizer). */
export function tokenizer(version: string): ProcessorDefinition<TokenizerSettings> {
  return {
    name: 'tokenizer',
    version,
    settings: tokenizerSettings,
    create: (settings, { logger }) => {
      const counter = createCounter({ logger })
      return { answer: createCountTokens({ settings, counter }), close: counter.close }
    },
  }
}
