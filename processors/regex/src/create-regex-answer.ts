import { compilePatterns } from './compile-patterns.ts'
import { createExtract } from './extract.ts'
import { loadRe2 } from './re2-engine.ts'
import type { RegexSettings } from './settings.ts'

/** The answer to a message by these settings; undefined without the engine. Throws a SettingsError for patterns that it doesn't take. */
export async function createRegexAnswer(
  settings: RegexSettings,
): Promise<ReturnType<typeof createExtract> | undefined> {
  const engine = await loadRe2()
  if (engine === undefined) return undefined
  return createExtract({
    patterns: compilePatterns(settings.patterns, engine),
    matchJson: settings.match_json,
    maxSections: settings.max_sections,
    maxCharacters: settings.max_characters,
  })
}
