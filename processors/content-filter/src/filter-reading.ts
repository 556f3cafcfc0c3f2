import { isJsonObject } from '@llm-gateway/protocol'
import type { TextChoice } from './body-texts.ts'
import { CATEGORIES, type Scores, scoresOf } from './scores.ts'

/** The settings of the thread for large messages. */
export type FilterReading = {
  readonly texts: TextChoice
  readonly maxCharacters: number
  /** True: the built-in scorer runs in the thread. */
  readonly isScored: boolean
}

/** The thread's result for one message: its scores, its text, or nothing to score. */
export type ReadMessage =
  | { readonly kind: 'scores'; readonly scores: Scores }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'nothing' }

export function filterReading(data: Readonly<Record<string, unknown>>): FilterReading {
  const { texts, maxCharacters, isScored } = data
  return {
    texts: texts === 'all' || texts === 'all_user' ? texts : 'specified',
    maxCharacters: Number(maxCharacters),
    isScored: isScored === true,
  }
}

export function readMessage(value: unknown): ReadMessage {
  if (!isJsonObject(value)) return { kind: 'nothing' }
  if (typeof value.text === 'string') return { kind: 'text', text: value.text }
  const { scores } = value
  if (!isJsonObject(scores)) return { kind: 'nothing' }
  if (!CATEGORIES.every((category) => typeof scores[category] === 'number')) return { kind: 'nothing' }
  return { kind: 'scores', scores: scoresOf((category) => Number(scores[category])) }
}
