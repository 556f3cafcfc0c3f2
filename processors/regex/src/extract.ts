import { isJsonObject } from '@llm-gateway/protocol'
import type { Answer } from '@llm-gateway/sdk'
import type { CompiledPattern, RouterPatterns } from './compile-patterns.ts'
import { isShallow } from './is-shallow.ts'
import { parseSection } from './parse-section.ts'
import { DEFAULT_ROUTER } from './settings.ts'

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
