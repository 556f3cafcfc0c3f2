import { runMessageThread } from '@llm-gateway/sdk/thread'
import { createRegexAnswer } from './extract.ts'
import { regexSettings } from './settings.ts'

await runMessageThread(async (data) => {
  const answer = await createRegexAnswer(regexSettings.parse(data))
  // The main thread has already loaded RE2, so this is a bug or a broken installation.
  if (answer === undefined) throw new Error('re2 not available')
  return answer
})
