import { runMessageThread } from '@llm-gateway/sdk/thread'
import { createCountTokens } from './count-tokens.ts'
import { createCounting } from './counting.ts'
import { tokenizerSettings } from './settings.ts'

// Parses, searches and counts a large message in this thread.
await runMessageThread((data) => {
  const counter = { count: createCounting() }
  const answer = createCountTokens({ settings: tokenizerSettings.parse(data), counter })
  return async (fields) => await answer(fields)
})
