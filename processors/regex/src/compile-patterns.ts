import { compileJsonPath } from '@llm-gateway/protocol'
import { SettingsError } from '@llm-gateway/sdk/thread'
import type { RegexEngine, Search } from './re2-engine.ts'
import { DEFAULT_ROUTER, type PatternSettings } from './settings.ts'

export type CompiledPattern = {
  readonly field: string
  readonly json: boolean
  readonly read: (payload: unknown) => unknown
  readonly search: Search
}

/** Router path, or `default`, → its patterns in the file's order. */
export type RouterPatterns = ReadonlyMap<string, readonly CompiledPattern[]>

/** RE2 expands repetitions; the limit keeps a short pattern from becoming a large program. */
const MAX_REPETITIONS = 2_000

/** Compiles all patterns; throws a SettingsError that names each invalid pattern by its index in the file. */
export function compilePatterns(settings: readonly PatternSettings[], engine: RegexEngine): RouterPatterns {
  const byRouter = new Map<string, CompiledPattern[]>()
  const reasons: Record<string, string> = {}
  for (const [index, { routers, path, pattern, field, json }] of settings.entries()) {
    const compilation = compile(pattern, engine)
    if (compilation.kind === 'rejected') reasons[`patterns[${index}].pattern`] = compilation.reason
    const search = compilation.kind === 'compiled' ? compilation.search : () => []
    for (const router of routers === DEFAULT_ROUTER ? [DEFAULT_ROUTER] : new Set(routers)) {
      const others = byRouter.get(router) ?? []
      // Two results can't share a field.
      if (others.some((other) => other.field === field)) reasons[`patterns[${index}].field`] = 'unique:'
      byRouter.set(router, [...others, { field, json, read: compileJsonPath(path), search }])
    }
  }
  if (Object.keys(reasons).length > 0) throw new SettingsError(reasons)
  return byRouter
}

function compile(pattern: string, engine: RegexEngine): ReturnType<RegexEngine['compile']> {
  const repetitions = [...pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/g)].map(([, least, most]) => Number(most || least))
  const sum = repetitions.reduce((total, count) => total + count, 0)
  return sum > MAX_REPETITIONS ? { kind: 'rejected', reason: 'too_large:' } : engine.compile(pattern)
}
