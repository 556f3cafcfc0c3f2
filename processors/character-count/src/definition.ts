import { noSettings, type ProcessorDefinition } from '@llm-gateway/sdk'
import { answerCount } from './count-characters.ts'

/** Defines the processor that counts the characters of a payload (docs/reference/processors.md#character-count). */
export function characterCount(version: string): ProcessorDefinition<object> {
  return {
    name: 'charactercount',
    version,
    settings: noSettings,
    create: () => ({
      answer: answerCount,
      large: { program: new URL('./message-thread.ts', import.meta.url) },
    }),
  }
}
