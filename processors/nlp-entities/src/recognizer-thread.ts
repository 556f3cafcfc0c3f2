import { runThread } from '@llm-gateway/sdk/thread'
import { recognizeText } from './recognize.ts'

await runThread(() => (text) => (typeof text === 'string' ? recognizeText(text) : []))
