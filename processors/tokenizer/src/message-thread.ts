import { runMessageThread } from '@llm-gateway/sdk/thread'
import { createCountTokens } from './count-tokens.ts'
import { COUNTING_MS, createCounting } from './counting.ts'
import { encodingsOf, tokenizerSettings } from './settings.ts'

// Parses, searches and counts a large message in this thread.
await runMessageThread(async (data) => {
  const settings = tokenizerSettings.parse(data)
  // A model's encoding is loaded by the first message that names the model: all six would take 150 MB of each thread.
  const count = await createCounting(encodingsOf({ ...settings, by_model: false }))
  const answer = createCountTokens({ settings, counter: { count } })
  return async (fields, work) => {
    const end = performance.now() + COUNTING_MS
    return await answer(fields, { stopped: () => work.stopped() || performance.now() > end })
  }
})
