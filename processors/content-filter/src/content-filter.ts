import type { Answer, Call } from '@llm-gateway/sdk'
import { type TextChoice, textsToScore } from './body-texts.ts'
import { readMessage } from './filter-reading.ts'
import { isOver, type Scorer, type Scores } from './scores.ts'

export type ContentFilterOptions = {
  readonly scorer: Scorer
  readonly threshold: number
  /** `annotate`: a toxic body is marked and passes. */
  readonly action?: 'reject' | 'annotate'
  /** 200–599. */
  readonly rejectStatus: number
  readonly texts: TextChoice
  /** The maximum of characters (UTF-16 units) of one body's texts; a body with more gets no answer. */
  readonly maxCharacters: number
  /** The limit for scoring one body; after it there is no answer. */
  readonly timeoutMs: number
  /** Called with the scores of each body and the verdict. */
  readonly scored?: (scores: Scores, isToxic: boolean) => void
}

/**
 * Answers one request with its scores, and with a control when a score is over the threshold
 * (docs/reference/processors.md#content-filter). Throws when the text could not be scored as a whole; the row's
 * `required` then decides.
 */
export function createContentFilter(
  options: ContentFilterOptions,
): (fields: ReadonlyMap<string, unknown>, call?: Call) => Promise<Answer> {
  return async (fields, call) => {
    const texts = textsToScore(fields.get('ingress_payload'), options.texts, options.maxCharacters)
    return texts.length === 0 ? undefined : await answerTexts(texts, options, call)
  }
}

/** Makes the function that answers a large message from the value that a thread returned for it. */
export function createConclusion(options: ContentFilterOptions): (value: unknown, call?: Call) => Promise<Answer> {
  return async (value, call) => {
    const read = readMessage(value)
    switch (read.kind) {
      case 'nothing':
        return undefined
      case 'scores':
        return answerScores(read.scores, options)
      case 'text':
        return await answerTexts([read.text], options, call)
      default:
        return read satisfies never
    }
  }
}

/** Scores texts and answers. The call's own timeout also limits the scoring. */
async function answerTexts(
  texts: readonly string[],
  options: ContentFilterOptions,
  call: Call | undefined,
): Promise<Answer> {
  const timeoutMs = Math.ceil(Math.min(options.timeoutMs, call?.timeoutMs ?? options.timeoutMs))
  return answerScores(await options.scorer.score(texts, AbortSignal.timeout(timeoutMs), call), options)
}

function answerScores(scores: Scores, { threshold, action, rejectStatus, scored }: ContentFilterOptions): Answer {
  const isToxic = isOver(scores, threshold)
  scored?.(scores, isToxic)
  const written = { content_filter: scores, is_toxic: isToxic }
  if (!isToxic || action === 'annotate') return written
  return { ...written, control: { is_toxic: true }, control_status_code: rejectStatus }
}
