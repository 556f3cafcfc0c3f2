import type { TokenCounts } from './usage.ts'

// Counts beside the tokens of a router and window. A response message doesn't identify its request. If there are more
// answers with usage than calls that ask for usage, the surplus answers are of streams that reported usage unasked.
const REPORTING_CALLS = 'calls that tell usage'
const REPORTING_ANSWERS = 'answers that told usage'
const STREAMS_WITHOUT_USAGE = 'streams estimated'
const ESTIMATED_PROMPTS = 'streams estimated: prompt_tokens'

/** The count of a call whose answer reports usage, if the call succeeds. */
export const CALL_WITH_USAGE: TokenCounts = new Map([[REPORTING_CALLS, 1]])
const ANSWER_WITH_USAGE: TokenCounts = new Map([[REPORTING_ANSWERS, 1]])
const NOTHING: TokenCounts = new Map()

/** Returns the counts of a stream that was not asked for usage; its prompt is estimated. */
export function streamWithoutUsage(promptTokens: number): TokenCounts {
  return new Map([
    [STREAMS_WITHOUT_USAGE, 1],
    [ESTIMATED_PROMPTS, promptTokens],
  ])
}

/** Returns the count of an answer that reported its prompt; nothing for other answers. */
export function countsOfAnswer(counts: TokenCounts): TokenCounts {
  return counts.has('prompt_tokens') ? ANSWER_WITH_USAGE : NOTHING
}

/**
 * Returns the used tokens plus the estimated prompts of streams that reported no usage. For each stream that reported
 * usage unasked, the mean estimate is subtracted. Once all of a window's calls are answered, each prompt counts once.
 */
export function withEstimatedPrompts(used: TokenCounts): TokenCounts {
  const streams = used.get(STREAMS_WITHOUT_USAGE) ?? 0
  if (streams === 0) return used
  const unasked = Math.max(0, (used.get(REPORTING_ANSWERS) ?? 0) - (used.get(REPORTING_CALLS) ?? 0))
  const left = Math.max(0, streams - unasked) / streams
  const prompts = Math.round((used.get(ESTIMATED_PROMPTS) ?? 0) * left)
  const more = ['prompt_tokens', 'total_tokens'].map((field) => [field, (used.get(field) ?? 0) + prompts] as const)
  return new Map([...used, ...more])
}
