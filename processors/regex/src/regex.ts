import type { ProcessorDefinition } from '@llm-gateway/sdk'
import { createRegexAnswer } from './extract.ts'
import { type RegexSettings, regexSettings } from './settings.ts'

/** Adds to an answer the sections of its text that a pattern finds (docs/reference/processors.md#regex). */
export function regex(version: string): ProcessorDefinition<RegexSettings> {
  return {
    name: 'regex',
    version,
    settings: regexSettings,
    variables: { MATCH_JSON: 'match_json' },
    create: async (settings, { logger }) => {
      const answer = await createRegexAnswer(settings)
      if (answer === undefined) {
        // No other engine takes its place: theirs need exponential time for some texts.
        logger.error({}, 're2 not available')
        throw new Error('re2 not available')
      }
      return { answer, large: { program: new URL('./message-thread.ts', import.meta.url), data: settings } }
    },
  }
}
