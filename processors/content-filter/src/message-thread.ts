import { isJsonObject } from '@llm-gateway/protocol'
import { runMessageThread, type Work } from '@llm-gateway/sdk/thread'
import { textsToScore } from './body-texts.ts'
import { createBuiltInScorer } from './built-in-scorer.ts'
import { type FilterReading, filterReading } from './filter-reading.ts'
import type { Scorer, Scores } from './scores.ts'

/** The interval at which the thread checks whether its scores are still wanted. */
const CHECK_MS = 50

// Finds the texts of a large message, and scores them unless a model or an endpoint does.
await runMessageThread((data) => {
  const { texts: choice, maxCharacters, isScored }: FilterReading = filterReading(isJsonObject(data) ? data : {})
  const scorer = isScored ? createBuiltInScorer() : undefined
  return async (fields, work) => {
    const texts = textsToScore(fields.get('ingress_payload'), choice, maxCharacters)
    if (texts.length === 0) return {}
    // The texts cross joined: the program would need longer to receive a million small texts than to score them.
    return scorer === undefined ? { text: texts.join('\n') } : { scores: await scoreUntilStopped(scorer, texts, work) }
  }
})

async function scoreUntilStopped(scorer: Scorer, texts: readonly string[], work: Work): Promise<Scores> {
  const stop = new AbortController()
  const checking = setInterval(() => {
    if (work.stopped()) stop.abort()
  }, CHECK_MS)
  try {
    return await scorer.score(texts, stop.signal)
  } finally {
    clearInterval(checking)
  }
}
