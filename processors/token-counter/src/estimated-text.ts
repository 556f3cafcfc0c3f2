import { answerTexts, isJsonObject, type PayloadText, requestTexts } from '@llm-gateway/protocol'

/** Members of requests to Anthropic, Cohere or Ollama, whose streams report usage unasked. */
const OTHER_DIALECTS = ['system', 'anthropic_version', 'stop_sequences', 'thinking', 'p', 'options', 'keep_alive']
const OTHER_MODELS = /^(?:claude|command)|anthropic/i

/** Returns the text of an LLM's answer: the texts found in it, else its JSON; undefined when there is no text. */
export function answerText(payload: unknown): string | undefined {
  if (payload === undefined || payload === null) return undefined
  const found = answerTexts(payload)
  if (found.length > 0) return joined(found)
  if (typeof payload === 'string') return payload
  // Sound and pictures have no text tokens.
  return isJsonObject(payload) && typeof payload.base64 === 'string' ? undefined : jsonText(payload)
}

/**
 * Returns the text of a request whose answer will not report usage: a streamed OpenAI chat or text completion that
 * doesn't ask for usage. Undefined for all others.
 */
export function promptText(payload: unknown): string | undefined {
  if (!isJsonObject(payload) || payload.stream !== true) return undefined
  const { messages, prompt, model, stream_options: options } = payload
  if (!Array.isArray(messages) && prompt === undefined) return undefined
  if (isJsonObject(options) && options.include_usage === true) return undefined
  if (typeof model === 'string' && OTHER_MODELS.test(model)) return undefined
  return OTHER_DIALECTS.some((name) => Object.hasOwn(payload, name)) ? undefined : joined(requestTexts(payload))
}

function joined(texts: readonly PayloadText[]): string {
  return texts.map(({ text }) => text).join('\n')
}

/** Serializes a payload; undefined when it is nested deeper than the stack allows. */
function jsonText(payload: unknown): string | undefined {
  try {
    return JSON.stringify(payload)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}
