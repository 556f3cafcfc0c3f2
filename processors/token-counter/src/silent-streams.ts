import type { TokenCounts } from './usage.ts'

// Counted beside the tokens of a router and window. No message says which answer belongs to which request, but the calls' sums do:
// answers that tell their prompt can't be more than calls that tell it, unless streams tell it that weren't asked to.
const REPORTING_CALLS = 'calls that tell usage'
const REPORTING_ANSWERS = 'answers that told usage'
const SILENT_STREAMS = 'streams estimated'
const SILENT_PROMPTS = 'streams estimated: prompt_tokens'

/** Of a call whose answer tells usage, if it succeeds. */
export const TELLING_CALL: TokenCounts = new Map([[REPORTING_CALLS, 1]])
const TOLD_ANSWER: TokenCounts = new Map([[REPORTING_ANSWERS, 1]])
const NOTHING: TokenCounts = new Map()

/** Of a stream that was not asked for usage; its prompt is an estimate. */
export function silentStream(promptTokens: number): TokenCounts {
  return new Map([
    [SILENT_STREAMS, 1],
    [SILENT_PROMPTS, promptTokens],
  ])
}

/** What an answer says of its call besides its tokens. */
export function countsOfAnswer(counts: TokenCounts): TokenCounts {
  return counts.has('prompt_tokens') ? TOLD_ANSWER : NOTHING
}

/**
 * The tokens used in all: estimated prompts count, but for those of streams that told theirs unasked. Each takes the mean of the
 * estimates back, so that in the end, when all of a window's calls were answered, each prompt counts once.
 */
export function withSilentPrompts(used: TokenCounts): TokenCounts {
  const streams = used.get(SILENT_STREAMS) ?? 0
  if (streams === 0) return used
  const unasked = Math.max(0, (used.get(REPORTING_ANSWERS) ?? 0) - (used.get(REPORTING_CALLS) ?? 0))
  const left = Math.max(0, streams - unasked) / streams
  const prompts = Math.round((used.get(SILENT_PROMPTS) ?? 0) * left)
  const more = ['prompt_tokens', 'total_tokens'].map((field) => [field, (used.get(field) ?? 0) + prompts] as const)
  return new Map([...used, ...more])
}
