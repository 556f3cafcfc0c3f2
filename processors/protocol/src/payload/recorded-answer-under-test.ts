import type { TokenUsage } from './usage-of.ts'

/** A recorded answer of one dialect: its usage, and the texts that the model wrote or called tools with. */
export type RecordedAnswer = {
  readonly dialect: string
  readonly payload: unknown
  readonly usage: TokenUsage | undefined
  readonly texts: readonly string[]
}

export const counts = (prompt: number, completion: number): TokenUsage => ({
  prompt,
  completion,
  total: prompt + completion,
})
