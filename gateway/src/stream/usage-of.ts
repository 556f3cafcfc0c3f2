import { isJsonObject, type JsonObject } from './json-object.ts'

/** Tokens of one call; a side the answer doesn't tell is absent. */
export type TokenUsage = { readonly input?: number; readonly output?: number }

/**
 * The tokens an answer says it used: a chat completion, an Anthropic message or an OpenAI response (any answer with a `usage` of that form).
 *
 * Input counts cached tokens too, as OpenTelemetry wants it: Anthropic's `input_tokens` leaves them out, so its two cache counters are added.
 */
export function usageOf(answer: unknown): TokenUsage | undefined {
  if (!isJsonObject(answer) || !isJsonObject(answer.usage)) return undefined
  const { usage } = answer
  const input = count(usage.prompt_tokens) ?? inputOf(usage)
  const output = count(usage.completion_tokens) ?? count(usage.output_tokens)
  if (input === undefined && output === undefined) return undefined
  return { ...(input === undefined ? {} : { input }), ...(output === undefined ? {} : { output }) }
}

function inputOf(usage: JsonObject): number | undefined {
  const input = count(usage.input_tokens)
  if (input === undefined) return undefined
  return input + (count(usage.cache_creation_input_tokens) ?? 0) + (count(usage.cache_read_input_tokens) ?? 0)
}

function count(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined
}
