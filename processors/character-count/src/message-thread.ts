import { runMessageThread } from '@llm-gateway/sdk/thread'
import { answerCount } from './count-characters.ts'

await runMessageThread(() => answerCount)
