import type { ProcessorDefinition } from '@llm-gateway/sdk'
import { compilePatterns } from './compile-patterns.ts'
import { createExtract } from './extract.ts'
import { loadRe2 } from './re2-engine.ts'
import { type RegexSettings, regexSettings } from './settings.ts'

/** Adds to an answer what patterns find in its text (specification, Processors, regex). */
export function regex(version: string): ProcessorDefinition<RegexSettings> {
  return {
    name: 'regex',
    version,
    settings: regexSettings,
    variables: { MATCH_JSON: 'match_json' },
    create: async (settings, { logger }) => {
      const engine = await loadRe2()
      if (engine === undefined) {
        // No other engine takes its place: theirs need exponential time for some texts.
        logger.error({}, 're2 not available')
        throw new Error('re2 not available')
      }
      const answer = createExtract({
        patterns: compilePatterns(settings.patterns, engine),
        matchJson: settings.match_json,
        maxSections: settings.max_sections,
        maxCharacters: settings.max_characters,
      })
      return { answer }
    },
  }
}
