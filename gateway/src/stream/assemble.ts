import { AnthropicMessageAssembly } from './assemble-anthropic-message.ts'
import { ChatCompletionAssembly } from './assemble-chat-completion.ts'
import { OpenaiResponseAssembly } from './assemble-openai-response.ts'
import type { Assembly } from './assembly.ts'
import { isJsonObject, parseJson } from './json-object.ts'
import { sseEvents } from './sse-events.ts'

/**
 * The completed message of a collected event stream, as the same call would have answered it unstreamed (wire, 3).
 *
 * Undefined where its events are neither chat-completion chunks nor those of an Anthropic message or an OpenAI response, and where one is nested deeper
 * than 500 levels: the record then has the text. A stream that broke off gives what arrived. Never throws; time and memory are linear to the text.
 */
export function assembleStream(text: string): unknown | undefined {
  const kinds: readonly Assembly[] = [
    new ChatCompletionAssembly(),
    new AnthropicMessageAssembly(),
    new OpenaiResponseAssembly(),
  ]
  let chosen: Assembly | undefined
  for (const { data } of sseEvents(text)) {
    const parsed = parseJson(data)
    if (parsed.kind === 'deep') return undefined
    // `[DONE]`, pings in words and the torn last event of a broken stream aren't JSON objects.
    if (parsed.kind === 'none' || !isJsonObject(parsed.value)) continue
    const { value } = parsed
    if (chosen === undefined) chosen = kinds.find((kind) => kind.take(value))
    else chosen.take(value)
  }
  return chosen?.finish()
}
