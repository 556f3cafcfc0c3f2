import { isJsonObject } from '@llm-gateway/protocol'
import { runMessageThread, type Work } from '@llm-gateway/sdk/thread'
import { textsToScore } from './body-texts.ts'
import { createBuiltInScorer } from './built-in-scorer.ts'
import { type FilterReading, filterReading } from './filter-reading.ts'
import type { Scorer, Scores } from './scores.ts'

/** How often the thread asks whether its scores are still waited for. */
const LOOK_MS = 50

// Large messages: their texts are found here, and scored here where no model or endpoint does it.
await runMessageThread((data) => {
  const { texts: choice, maxCharacters, isScored }: FilterReading = filterReading(isJsonObject(data) ? data : {})
  const scorer = isScored ? createBuiltInScorer() : undefined
  return async (fields, work) => {
    const texts = textsToScore(fields.get('ingress_payload'), choice, maxCharacters)
    if (texts.length === 0) return {}
    // One text: a million small ones would take the program longer to receive than to score.
    return scorer === undefined ? { text: texts.join('\n') } : { scores: await scored(scorer, texts, work) }
  }
})

async function scored(scorer: Scorer, texts: readonly string[], work: Work): Promise<Scores> {
  const stop = new AbortController()
  const look = setInterval(() => {
    if (work.stopped()) stop.abort()
  }, LOOK_MS)
  try {
    return await scorer.score(texts, stop.signal)
  } finally {
    clearInterval(look)
  }
}
