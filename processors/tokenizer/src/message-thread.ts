import { runMessageThread } from '@llm-gateway/sdk/thread'
import { createCountTokens } from './count-tokens.ts'
import { COUNTING_MS, createCounting } from './counting.ts'
import { encodingsOf, tokenizerSettings } from './settings.ts'

// Parses, searches and counts a large message in this thread.
await runMessageThread(async (data) => {
  const settings = tokenizerSettings.parse(data)
  const answer = createCountTokens({ settings, counter: { count: await createCounting(encodingsOf(settings)) } })
  return async (fields, work) => {
    const end = performance.now() + COUNTING_MS
    return await answer(fields, { stopped: () => work.stopped() || performance.now() > end })
  }
})
