import { elementsOf, isObject, membersOf, pretty, textOf, valueAt } from '../json-value.ts'

export type ChatMessage = {
  readonly role: string
  readonly text: string
  /** Tool calls, images and other content, as JSON. */
  readonly parts: readonly { readonly kind: string; readonly json: string }[]
}

/**
 * Returns the messages of a request in the formats of OpenAI (chat, responses) and Anthropic; none if it is not a chat.
 */
export function requestMessages(payload: unknown): readonly ChatMessage[] {
  const { system, instructions, messages, input, prompt } = membersOf(payload)
  const before = system ?? instructions
  const first = before === undefined ? [] : [messageOf('system', before)]
  if (Array.isArray(messages)) return [...first, ...messages.map(fromEntry)]
  if (typeof input === 'string') return [...first, messageOf('user', input)]
  if (Array.isArray(input)) return [...first, ...input.map(fromEntry)]
  return typeof prompt === 'string' ? [messageOf('user', prompt)] : []
}

/** Returns the messages of an answer in the same formats. */
export function answerMessages(payload: unknown): readonly ChatMessage[] {
  const { choices, content, output, role } = membersOf(payload)
  if (Array.isArray(choices)) {
    return choices.flatMap((choice) => {
      const { message, text } = membersOf(choice)
      if (isObject(message)) return [fromEntry(message)]
      return typeof text === 'string' ? [messageOf('assistant', text)] : []
    })
  }
  if (Array.isArray(content)) return [messageOf(textOf(role) ?? 'assistant', content)]
  if (Array.isArray(output)) return output.map(fromEntry)
  return []
}

function fromEntry(entry: unknown): ChatMessage {
  const { role, content, tool_calls: calls, type } = membersOf(entry)
  if (role === undefined && content === undefined) {
    return {
      role: textOf(type) ?? 'assistant',
      text: '',
      parts: [{ kind: textOf(type) ?? 'value', json: pretty(entry) }],
    }
  }
  const message = messageOf(textOf(role) ?? 'assistant', content)
  const called = elementsOf(calls).map((call) => ({
    kind: textOf(valueAt(call, ['function', 'name'])) ?? 'tool',
    json: pretty(call),
  }))
  return { ...message, parts: [...message.parts, ...called] }
}

function messageOf(role: string, content: unknown): ChatMessage {
  if (typeof content === 'string') return { role, text: content, parts: [] }
  const texts: string[] = []
  const parts: ChatMessage['parts'][number][] = []
  for (const part of elementsOf(content)) {
    const { type, text } = membersOf(part)
    if (typeof text === 'string') texts.push(text)
    else parts.push({ kind: textOf(type) ?? 'value', json: pretty(part) })
  }
  return { role, text: texts.join('\n\n'), parts }
}
