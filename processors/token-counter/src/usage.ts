import { compileJsonPath, pathSegments, type TokenUsage, usageOf } from '@llm-gateway/protocol'

/** Tokens by field; an unknown number is absent. */
export type TokenCounts = ReadonlyMap<string, number>

/** `usage_fields` of the file: the places of the usage in a router's answers, or in all others' (`default`). */
export type UsageFields = readonly {
  readonly router: string
  readonly patterns: readonly { readonly field: string; readonly pattern: string }[]
}[]

/** Reads the usage of one message; undefined when the answer reports none. */
export type ReadUsage = (routers: readonly string[], message: Message) => TokenCounts | undefined

type Message = ReadonlyMap<string, unknown>
type FieldReader = {
  readonly field: string
  readonly read: (message: Message, usage: () => TokenUsage | undefined) => unknown
}

const DEFAULT_ROUTER = 'default'
const PAYLOAD = 'inbound_payload'
/** Names of the same counts in other dialects. */
const SAME: ReadonlyMap<string, string> = new Map([
  ['input_tokens', 'prompt_tokens'],
  ['output_tokens', 'completion_tokens'],
])
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([...SAME, ...[...SAME].map(([a, b]) => [b, a] as const)])
/** Last parts of the default patterns (`inbound_payload.usage.…`), which stand for the places of all dialects. */
const IN_EVERY_DIALECT: ReadonlyMap<string, keyof TokenUsage> = new Map([
  ['prompt_tokens', 'prompt'],
  ['input_tokens', 'prompt'],
  ['completion_tokens', 'completion'],
  ['output_tokens', 'completion'],
  ['total_tokens', 'total'],
])

/** Compiles the paths. The first of the routers with an entry decides, else `default`. */
export function compileUsage(usageFields: UsageFields): ReadUsage {
  const readers = new Map(usageFields.map(({ router, patterns }) => [router, patterns.flatMap(fieldReaders)]))
  return (routers, message) => {
    const router = [...routers, DEFAULT_ROUTER].find((name) => readers.has(name))
    const usage = once(() => usageOf(message.get(PAYLOAD)))
    const found = new Map<string, number>()
    for (const { field, read } of readers.get(router ?? DEFAULT_ROUTER) ?? []) {
      const tokens = read(message, usage)
      if (!found.has(field) && isTokenCount(tokens)) found.set(field, tokens)
    }
    return found.size === 0 ? undefined : completed(found)
  }
}

/** Returns the counts for caps; an unknown total becomes the sum of its known parts. */
export function countsForCaps(counts: TokenCounts): TokenCounts {
  if (counts.has('total_tokens')) return counts
  const known = (counts.get('prompt_tokens') ?? 0) + (counts.get('completion_tokens') ?? 0)
  return new Map([...counts, ['total_tokens', known]])
}

/**
 * Makes the readers of a pattern. A default pattern is read in every dialect. Any other pattern is also read with its
 * last part replaced by the other dialect's name.
 */
function fieldReaders({
  field,
  pattern,
}: {
  readonly field: string
  readonly pattern: string
}): readonly FieldReader[] {
  const name = SAME.get(field) ?? field
  const segments = pathSegments(pattern)
  const last = segments.at(-1) ?? ''
  const place = segments.slice(0, -1).join('.') === `${PAYLOAD}.usage` ? IN_EVERY_DIALECT.get(last) : undefined
  if (place !== undefined) return [{ field: name, read: (_message, usage) => usage()?.[place] }]
  const other = OTHER_NAMES.get(last)
  const paths = other === undefined ? [pattern] : [pattern, [...segments.slice(0, -1), other].join('.')]
  return paths.map((path) => ({ field: name, read: compileJsonPath(path) }))
}

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/** Returns whether an upstream's number may be a count: a negative one would give a caller tokens back. */
function isTokenCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0
}

/** Computes the missing one of prompt, completion and total from the two others; it stays unknown without both. */
function completed(found: ReadonlyMap<string, number>): TokenCounts {
  const total = found.get('total_tokens')
  const prompt = found.get('prompt_tokens') ?? rest(total, found.get('completion_tokens'))
  const completion = found.get('completion_tokens') ?? rest(total, found.get('prompt_tokens'))
  const sum = prompt === undefined || completion === undefined ? undefined : prompt + completion
  const all = new Map<string, number | undefined>([
    ['prompt_tokens', prompt],
    ['completion_tokens', completion],
    ['total_tokens', total ?? sum],
    ...found,
  ])
  return new Map([...all].flatMap(([field, tokens]) => (tokens === undefined ? [] : [[field, tokens] as const])))
}

/** Returns the difference; undefined unless positive, since an embedding has no completion. */
function rest(total: number | undefined, part: number | undefined): number | undefined {
  return total === undefined || part === undefined || total <= part ? undefined : total - part
}
