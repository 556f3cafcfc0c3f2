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

/**
 * Makes a function that answers one message: the payload with the result of each of its router's patterns. Answers
 * nothing when the payload is not an object or is too deep.
 */
export function createExtract(options: ExtractOptions): (message: ReadonlyMap<string, unknown>) => Answer {
  return (message) => {
    const payload = message.get('egress_payload')
    const patterns = patternsOf(message, options.patterns)
    if (!isJsonObject(payload) || patterns.length === 0 || !isShallow(payload)) return undefined
    const results = patterns.map((pattern) => [pattern.field, resultOf(pattern, payload, options)] as const)
    return { egress_payload: { ...payload, ...Object.fromEntries(results) } }
  }
}

/** Returns the patterns of the router that answered, else of the router that was called, else the default patterns. */
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

/**
 * Only a hostile answer is nested deeper. Such an answer can be parsed but not serialized, since serializing recurses.
 */
const MAX_DEPTH = 256

/** Returns whether a JSON value can be serialized. */
function isShallow(value: unknown, depth = MAX_DEPTH): boolean {
  if (typeof value !== 'object' || value === null) return true
  return depth > 0 && Object.values(value).every((member) => isShallow(member, depth - 1))
}

/** Returns the value of a JSON text; null when the text is malformed or nested too deep. */
function parseSection(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return isShallow(value) ? value : null
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}

/** Makes the function that answers messages; undefined without RE2. Throws a SettingsError for invalid patterns. */
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
