import { compileJsonPath, pathSegments } from '@llm-gateway/protocol'

/** Tokens by field; `prompt_tokens`, `completion_tokens` and `total_tokens` are always there. */
export type TokenCounts = ReadonlyMap<string, number>

/** `usage_fields` of the file: where a router's answers, or those of all others (`default`), tell their usage. */
export type UsageFields = readonly {
  readonly router: string
  readonly patterns: readonly { readonly field: string; readonly pattern: string }[]
}[]

/** Reads the usage of one message; undefined where the answer tells none. */
export type ReadUsage = (routers: readonly string[], message: ReadonlyMap<string, unknown>) => TokenCounts | undefined

type FieldReader = { readonly field: string; readonly read: (message: unknown) => unknown }

const DEFAULT_ROUTER = 'default'
/** Two dialects' names for the same thing (wire, 1.2). */
const SAME: ReadonlyMap<string, string> = new Map([
  ['input_tokens', 'prompt_tokens'],
  ['output_tokens', 'completion_tokens'],
])
const OTHER_NAMES: ReadonlyMap<string, string> = new Map(
  [...SAME].flatMap(
    ([a, b]) =>
      [
        [a, b],
        [b, a],
      ] as const,
  ),
)

/** Compiles the paths; the first of the routers that has an entry decides, then `default`. */
export function compileUsage(usageFields: UsageFields): ReadUsage {
  const readers = new Map(usageFields.map(({ router, patterns }) => [router, patterns.flatMap(fieldReaders)]))
  return (routers, message) => {
    const router = [...routers, DEFAULT_ROUTER].find((name) => readers.has(name))
    const found = new Map<string, number>()
    for (const { field, read } of readers.get(router ?? DEFAULT_ROUTER) ?? []) {
      const tokens = read(message)
      if (!found.has(field) && isTokenCount(tokens)) found.set(field, tokens)
    }
    return found.size === 0 ? undefined : completed(found)
  }
}

/** The counts of an answer that told none: all of it is completion. */
export function estimatedCounts(completionTokens: number): TokenCounts {
  return completed(new Map([['completion_tokens', completionTokens]]))
}

/** A pattern, and beside it the other dialect's name in the same place. */
function fieldReaders({
  field,
  pattern,
}: {
  readonly field: string
  readonly pattern: string
}): readonly FieldReader[] {
  const name = SAME.get(field) ?? field
  const segments = pathSegments(pattern)
  const other = OTHER_NAMES.get(segments.at(-1) ?? '')
  const paths = other === undefined ? [pattern] : [pattern, [...segments.slice(0, -1), other].join('.')]
  return paths.map((path) => ({ field: name, read: compileJsonPath(path) }))
}

/** An upstream's number is taken only where it can be one: a negative count would give a caller tokens back. */
function isTokenCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0
}

/** Whichever of the three is missing follows from the two others, and is 0 where they are missing too. */
function completed(found: ReadonlyMap<string, number>): TokenCounts {
  const total = found.get('total_tokens')
  const prompt = found.get('prompt_tokens') ?? rest(total, found.get('completion_tokens'))
  const completion = found.get('completion_tokens') ?? rest(total, found.get('prompt_tokens'))
  return new Map([
    ...found,
    ['prompt_tokens', prompt],
    ['completion_tokens', completion],
    ['total_tokens', total ?? prompt + completion],
  ])
}

function rest(total: number | undefined, part: number | undefined): number {
  return total === undefined || part === undefined ? 0 : Math.max(0, total - part)
}
