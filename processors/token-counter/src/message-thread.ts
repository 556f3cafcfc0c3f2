import { tokenCounterSettingsSchema } from '@llm-gateway/conf/token-counter'
import { runMessageThread } from '@llm-gateway/sdk/thread'
import { answerText, promptText } from './estimated-text.ts'
import type { CountedText, LargeReading } from './large-reading.ts'
import { SAMPLE_LENGTH } from './sample.ts'
import { isResponse, routersOf } from './token-counter.ts'
import { compileUsage } from './usage.ts'

const KEPT: ReadonlySet<string> = new Set(['gl_path', 'original_gl_path', 'inbound_status_code'])

// Reads a large message: returns its usage, or the text to estimate.
await runMessageThread((data) => {
  const readUsage = compileUsage(tokenCounterSettingsSchema.parse({ usage_fields: data }).usage_fields)
  return (message): LargeReading => {
    const fields = new Map([...message].filter(([name]) => KEPT.has(name)))
    if (!isResponse(message)) {
      return { phase: 'request', fields, text: beginningOf(promptText(message.get('ingress_payload'))) }
    }
    const usage = readUsage(routersOf(message), message)
    const text = usage === undefined ? answerText(message.get('inbound_payload')) : undefined
    return { phase: 'response', fields, usage, text: beginningOf(text) }
  }
})

function beginningOf(text: string | undefined): CountedText | undefined {
  return text === undefined ? undefined : { beginning: text.slice(0, SAMPLE_LENGTH), length: text.length }
}
