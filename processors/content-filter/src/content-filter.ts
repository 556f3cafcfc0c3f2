import type { Answer } from '@llm-gateway/sdk'
import { bodyTexts, type TextChoice } from './body-texts.ts'
import { isOver, type Scorer, type Scores } from './scores.ts'
import { ScoringError } from './scoring-error.ts'

export type ContentFilterOptions = {
  readonly scorer: Scorer
  readonly threshold: number
  /** `annotate`: a toxic body is marked and goes on. */
  readonly action?: 'reject' | 'annotate'
  /** 200–599. */
  readonly rejectStatus: number
  readonly texts: TextChoice
  /** Characters (UTF-16 units) of one body's texts; a body with more gets no answer. */
  readonly maxCharacters: number
  /** What scoring one body may take; longer gets no answer. */
  readonly timeoutMs: number
  /** Told the scores of each body and whether it is rejected. */
  readonly scored?: (scores: Scores, isToxic: boolean) => void
}

/**
 * Answers one request (wire, 6, content filter): its scores, and a control where one of them is over the threshold.
 * Throws where the text could not be scored as a whole; what that means is the row's `required`.
 */
export function createContentFilter(
  options: ContentFilterOptions,
): (fields: ReadonlyMap<string, unknown>) => Promise<Answer> {
  return async (fields) => {
    const texts = bodyTexts(fields.get('ingress_payload'), options.texts)
    if (texts.length === 0) return undefined
    if (texts.reduce((sum, text) => sum + text.length, 0) > options.maxCharacters)
      throw new ScoringError('TOO_MUCH_TEXT')
    const scores = await options.scorer.score(texts, AbortSignal.timeout(options.timeoutMs))
    const isToxic = isOver(scores, options.threshold)
    options.scored?.(scores, isToxic)
    const written = { content_filter: scores, is_toxic: isToxic }
    if (!isToxic || options.action === 'annotate') return written
    return { ...written, control: { is_toxic: true }, control_status_code: options.rejectStatus }
  }
}
