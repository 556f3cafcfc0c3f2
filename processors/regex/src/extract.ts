import { isJsonObject } from '@llm-gateway/protocol'
import type { Answer } from '@llm-gateway/sdk'
import { type CompiledPattern, compilePatterns, type RouterPatterns } from './compile-patterns.ts'
import { loadRe2 } from './re2-engine.ts'
import { DEFAULT_ROUTER, type RegexSettings } from './settings.ts'

/** The result in the answer (docs/reference/processors.md#regex). */
export type RegexResult = { readonly match: boolean; readonly sections: readonly Section[] }
export type Section = { readonly text: string; readonly object: unknown }

export type ExtractOptions = {
  readonly patterns: RouterPatterns
  readonly matchJson: boolean
  readonly maxSections: number
  readonly maxCharacters: number
}

/** Answers one message: the payload with the result of each of its router's patterns; nothing where it isn't an object or too deep. */
export function createExtract(options: ExtractOptions): (message: ReadonlyMap<string, unknown>) => Answer {
  return (message) => {
    const payload = message.get('egress_payload')
    const patterns = patternsOf(message, options.patterns)
    if (!isJsonObject(payload) || patterns.length === 0 || !isShallow(payload)) return undefined
    const results = patterns.map((pattern) => [pattern.field, resultOf(pattern, payload, options)] as const)
    return { egress_payload: { ...payload, ...Object.fromEntries(results) } }
  }
}

/** Those of the router that answered, else of the one that was called, else the default ones. */
function patternsOf(message: ReadonlyMap<string, unknown>, patterns: RouterPatterns): readonly CompiledPattern[] {
  const names = [message.get('gl_path'), message.get('original_gl_path'), DEFAULT_ROUTER]
  const name = names.find((path) => typeof path === 'string' && patterns.has(path))
  return typeof name === 'string' ? (patterns.get(name) ?? []) : []
}

function resultOf(pattern: CompiledPattern, payload: object, options: ExtractOptions): RegexResult {
  const text = pattern.read(payload)
  if (typeof text !== 'string') return { match: false, sections: [] }
  const parses = pattern.json && options.matchJson
  const sections = pattern
    .search(text.slice(0, options.maxCharacters), options.maxSections)
    .map((found) => ({ text: found, object: parses ? parseSection(found) : null }))
  return { match: sections.length > 0, sections }
}

/** No answer is nested deeper but one that is made to be: it can be read but not written again, as serializing recurses. */
const MAX_DEPTH = 256

/** Whether a JSON value can be written again. */
function isShallow(value: unknown, depth = MAX_DEPTH): boolean {
  if (typeof value !== 'object' || value === null) return true
  return depth > 0 && Object.values(value).every((member) => isShallow(member, depth - 1))
}

/** The value of a JSON text, null where it isn't one or is nested too deeply. */
function parseSection(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return isShallow(value) ? value : null
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}

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
