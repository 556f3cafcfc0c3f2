import { isJsonObject } from '../json.ts'
import { streamChunks } from './stream-chunks.ts'

/** The tokens reported by an answer; an absent number wasn't reported. `prompt` includes the cached tokens. */
export type TokenUsage = {
  readonly prompt?: number
  readonly completion?: number
  readonly total?: number
  /** Tokens of the prompt that came from a cache. */
  readonly cached?: number
}

type Members = Readonly<Record<string, unknown>>
type Counters = { readonly [Name in keyof TokenUsage]: number | undefined }

/** The first-level members of an answer from which usage is read. */
export const USAGE_MEMBERS: ReadonlySet<string> = new Set([
  'usage',
  'usageMetadata',
  'meta',
  'prompt_eval_count',
  'eval_count',
  'prompt_token_count',
  'generation_token_count',
  'inputTextTokenCount',
  'results',
])

/** The members of a stream's event that carry usage: Anthropic; OpenAI responses and Cohere; Cohere v2. */
const CARRIERS = ['message', 'response', 'delta'] as const
/** Bedrock adds this member to the last chunk of an InvokeModel stream, for every model. */
const INVOCATION = 'amazon-bedrock-invocationMetrics'
const NOTHING: Members = {}

/**
 * Returns the tokens reported by an answer in any dialect: one message, or the chunks of a stream as a list or as
 * recorded text. Undefined when the answer reports none. Never throws.
 */
export function usageOf(answer: unknown): TokenUsage | undefined {
  const own = isJsonObject(answer) ? usageOfMembers(answer) : undefined
  return own ?? usageOfChunks(streamChunks(answer))
}

/** Returns the usage reported by an answer's top-level members (`USAGE_MEMBERS`). */
function usageOfMembers(answer: Members): TokenUsage | undefined {
  const { usage, usageMetadata, meta } = answer
  if (isJsonObject(usage)) return tokenUsage(countersOfUsage(usage))
  if (isJsonObject(usageMetadata)) return tokenUsage(countersOfGemini(usageMetadata))
  if (isJsonObject(meta)) return tokenUsage(countersOfCohere(meta) ?? {})
  const invocation = answer[INVOCATION]
  if (isJsonObject(invocation)) return tokenUsage(countersOfInvocation(invocation))
  return tokenUsage({
    prompt: firstCount(answer, ['prompt_eval_count', 'prompt_token_count', 'inputTextTokenCount']),
    completion: firstCount(answer, ['eval_count', 'generation_token_count']) ?? completionOfTitan(answer),
  })
}

/**
 * Merges the usage of a stream's chunks. Counters grow; some streams report the prompt first and the completion last;
 * some repeat a prompt without its cached tokens.
 */
function usageOfChunks(chunks: Iterable<Members>): TokenUsage | undefined {
  let merged: TokenUsage | undefined
  for (const chunk of chunks) {
    const usage = usageOfChunk(chunk)
    if (usage !== undefined) merged = grown(merged ?? {}, usage)
  }
  // A chunk's total sums only the parts reported by that chunk.
  return merged === undefined ? undefined : tokenUsage({ ...merged, total: mergedTotal(merged) })
}

function grown(before: TokenUsage, now: TokenUsage): TokenUsage {
  const all = { ...before, ...now }
  const larger = (name: keyof TokenUsage): number => Math.max(before[name] ?? 0, now[name] ?? 0)
  return {
    ...(all.prompt === undefined ? {} : { prompt: larger('prompt') }),
    ...(all.completion === undefined ? {} : { completion: larger('completion') }),
    ...(all.total === undefined ? {} : { total: larger('total') }),
    ...(all.cached === undefined ? {} : { cached: larger('cached') }),
  }
}

function mergedTotal({ prompt, completion, total }: TokenUsage): number | undefined {
  if (prompt === undefined || completion === undefined) return total
  return Math.max(total ?? 0, prompt + completion)
}

function usageOfChunk(chunk: Members): TokenUsage | undefined {
  const own = usageOfMembers(chunk)
  if (own !== undefined) return own
  const carrier = CARRIERS.map((name) => chunk[name]).find(isJsonObject)
  return carrier === undefined ? undefined : usageOfMembers(carrier)
}

function countersOfUsage(usage: Members): Counters {
  if (isJsonObject(usage.tokens) || isJsonObject(usage.billed_units)) return countersOfCohere(usage) ?? {}
  if (Object.hasOwn(usage, 'inputTokens') || Object.hasOwn(usage, 'outputTokens')) return countersOfConverse(usage)
  const total = count(usage.total_tokens)
  const completion = firstCount(usage, ['completion_tokens', 'output_tokens'])
  const prompt = count(usage.prompt_tokens)
  if (prompt === undefined && isAnthropic(usage)) return countersOfAnthropic(usage)
  return {
    prompt: prompt ?? count(usage.input_tokens),
    completion,
    total,
    cached:
      detail(usage.prompt_tokens_details) ?? detail(usage.input_tokens_details) ?? count(usage.prompt_cache_hit_tokens),
  }
}

function isAnthropic(usage: Members): boolean {
  return Object.hasOwn(usage, 'cache_creation_input_tokens') || Object.hasOwn(usage, 'cache_read_input_tokens')
}

/** Anthropic's `input_tokens` exclude cached tokens. */
function countersOfAnthropic(usage: Members): Counters {
  const cached = count(usage.cache_read_input_tokens)
  const prompt = sum([count(usage.input_tokens), cached, count(usage.cache_creation_input_tokens)])
  return withCachedTotal({ prompt, completion: count(usage.output_tokens), total: count(usage.total_tokens), cached })
}

/** Bedrock's `inputTokens` exclude cached tokens too. */
function countersOfConverse(usage: Members): Counters {
  const cached = count(usage.cacheReadInputTokens)
  const prompt = sum([count(usage.inputTokens), cached, count(usage.cacheWriteInputTokens)])
  return withCachedTotal({ prompt, completion: count(usage.outputTokens), total: count(usage.totalTokens), cached })
}

function countersOfInvocation(metrics: Members): Counters {
  const cached = count(metrics.cacheReadInputTokenCount)
  const prompt = sum([count(metrics.inputTokenCount), cached, count(metrics.cacheWriteInputTokenCount)])
  return { prompt, completion: count(metrics.outputTokenCount), total: undefined, cached }
}

function completionOfTitan({ inputTextTokenCount, results }: Members): number | undefined {
  if (count(inputTextTokenCount) === undefined || !Array.isArray(results)) return undefined
  return sum(results.map((result: unknown) => (isJsonObject(result) ? count(result.tokenCount) : undefined)))
}

/** Raises a total that excludes cached tokens to the sum of its parts. */
function withCachedTotal(counters: Counters): Counters {
  const { prompt = 0, completion = 0, total } = counters
  return { ...counters, total: total === undefined ? undefined : Math.max(total, prompt + completion) }
}

/** Gemini bills thoughts as completion and tools' results as prompt. */
function countersOfGemini(usage: Members): Counters {
  return {
    prompt: sum([count(usage.promptTokenCount), count(usage.toolUsePromptTokenCount)]),
    completion: sum([
      firstCount(usage, ['candidatesTokenCount', 'responseTokenCount']),
      count(usage.thoughtsTokenCount),
    ]),
    total: count(usage.totalTokenCount),
    cached: count(usage.cachedContentTokenCount),
  }
}

/** Cohere's `tokens` are those used, its `billed_units` those paid for. */
function countersOfCohere({ tokens, billed_units: billed, cached_tokens: cached }: Members): Counters | undefined {
  const used = isJsonObject(tokens) ? tokens : NOTHING
  const paid = isJsonObject(billed) ? billed : NOTHING
  return {
    prompt: count(used.input_tokens) ?? count(paid.input_tokens),
    completion: count(used.output_tokens) ?? count(paid.output_tokens),
    total: undefined,
    cached: count(cached),
  }
}

/** Computes the missing one of prompt, completion and total from the two others; it stays absent without both. */
function tokenUsage(counters: Counters): TokenUsage | undefined {
  const { cached, total } = counters
  const prompt = counters.prompt ?? rest(total, counters.completion)
  const completion = counters.completion ?? rest(total, counters.prompt)
  const sumOfBoth = prompt === undefined || completion === undefined ? undefined : prompt + completion
  const all = Object.entries({ prompt, completion, total: total ?? sumOfBoth, cached })
  const known = all.filter(([, tokens]) => tokens !== undefined)
  return known.length === 0 ? undefined : Object.fromEntries(known)
}

/** Returns the difference; undefined unless positive, since an embedding has no completion. */
function rest(total: number | undefined, part: number | undefined): number | undefined {
  return total === undefined || part === undefined || total <= part ? undefined : total - part
}

function detail(details: unknown): number | undefined {
  return isJsonObject(details) ? count(details.cached_tokens) : undefined
}

function firstCount(members: Members, names: readonly string[]): number | undefined {
  const name = names.find((each) => count(members[each]) !== undefined)
  return name === undefined ? undefined : count(members[name])
}

function sum(counts: readonly (number | undefined)[]): number | undefined {
  const known = counts.filter((each) => each !== undefined)
  return known.length === 0 ? undefined : known.reduce((total, each) => total + each, 0)
}

/** Returns a count; undefined for a negative number, which would give a caller tokens back. */
function count(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined
}
