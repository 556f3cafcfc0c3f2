import { type DemoAnswer, fieldOf } from './demo-answer.ts'

export const MODEL = 'demo'

/** The id of a completion and its time in Unix seconds. */
export type Identity = { readonly id: string; readonly created: number }

/** Returns an answer as a chat completion. */
export function completion({ id, created }: Identity, answer: DemoAnswer): object {
  const message = { role: 'assistant', content: answer.words.join('') }
  const choices = [{ index: 0, finish_reason: answer.finishReason, message }]
  return {
    id,
    object: 'chat.completion',
    created,
    model: MODEL,
    choices,
    usage: answer.usage,
    system_fingerprint: 'fp_demo',
  }
}

/**
 * Yields an answer as server-sent events with one word each, and with usage if `stream_options.include_usage` is true.
 */
export function* completionEvents({ id, created }: Identity, answer: DemoAnswer, body: unknown): Generator<string> {
  const withUsage = fieldOf(fieldOf(body, 'stream_options'), 'include_usage') === true
  const chunk = (choices: readonly object[], usage: object | null) => {
    const base = { id, object: 'chat.completion.chunk', created, model: MODEL, choices, system_fingerprint: 'fp_demo' }
    return `data: ${JSON.stringify(withUsage ? { ...base, usage } : base)}\n\n`
  }
  yield chunk([{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }], null)
  for (const content of answer.words) yield chunk([{ index: 0, delta: { content }, finish_reason: null }], null)
  yield chunk([{ index: 0, delta: {}, finish_reason: answer.finishReason }], null)
  if (withUsage) yield chunk([], answer.usage)
  yield 'data: [DONE]\n\n'
}
