import { runMessageThread } from '@llm-gateway/sdk/thread'
import { createCountTokens } from './count-tokens.ts'
import { COUNTING_MS, createCounting } from './counting.ts'
import { tokenizerSettings } from './settings.ts'

// Parses, searches and counts a large message in this thread.
await runMessageThread((data) => {
  const counter = { count: createCounting() }
  const answer = createCountTokens({ settings: tokenizerSettings.parse(data), counter })
  return async (fields, work) => {
    const end = performance.now() + COUNTING_MS
    return await answer(fields, { stopped: () => work.stopped() || performance.now() > end })
  }
})
