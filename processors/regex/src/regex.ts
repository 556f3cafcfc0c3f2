import type { ProcessorDefinition } from '@llm-gateway/sdk'
import { createRegexAnswer } from './extract.ts'
import { type RegexSettings, regexSettings } from './settings.ts'

/**
 * Defines the processor that adds to an answer the sections of its text that patterns find
 * (docs/reference/processors.md#regex).
 */
export function regex(version: string): ProcessorDefinition<RegexSettings> {
  return {
    name: 'regex',
    version,
    settings: regexSettings,
    variables: { MATCH_JSON: 'match_json' },
    create: async (settings, { logger }) => {
      const answer = await createRegexAnswer(settings)
      if (answer === undefined) {
        // No other engine may replace RE2: others take exponential time for some texts.
        logger.error({}, 're2 not available')
        throw new Error('re2 not available')
      }
      return { answer, large: { program: new URL('./message-thread.ts', import.meta.url), data: settings } }
    },
  }
}
