import { runMessageThread } from '@llm-gateway/sdk/thread'
import { createRegexAnswer } from './extract.ts'
import { regexSettings } from './settings.ts'

await runMessageThread(async (data) => {
  const answer = await createRegexAnswer(regexSettings.parse(data))
  // The program has loaded the engine by then.
  if (answer === undefined) throw new Error('re2 not available')
  return answer
})
