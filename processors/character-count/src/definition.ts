import { noSettings, type ProcessorDefinition } from '@llm-gateway/sdk'
import { answerCount } from './count-characters.ts'

/** The processor that says how many characters a payload has (specification, processors; wire, 6). */
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
