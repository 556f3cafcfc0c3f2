/** The answer of the demo LLM. Each word ends with its space. */
export type DemoAnswer = {
  readonly words: readonly string[]
  readonly finishReason: 'stop' | 'length'
  readonly usage: { readonly prompt_tokens: number; readonly completion_tokens: number; readonly total_tokens: number }
}

const CHARACTERS_PER_TOKEN = 4
const QUOTED_CHARACTERS = 200

/** Answers the parsed body of a chat request: the text says that it is a demo and repeats the last user message. */
export function demoAnswer(body: unknown): DemoAnswer {
  const messages = listOf(fieldOf(body, 'messages'))
  const question = textOf(
    fieldOf(
      messages.findLast((message) => fieldOf(message, 'role') === 'user'),
      'content',
    ),
  )
  const text = `This is a demo answer: no language model is connected. You wrote: "${question.slice(0, QUOTED_CHARACTERS)}"`
  const words = text.split(/(?<= )/)
  const limit = fieldOf(body, 'max_completion_tokens') ?? fieldOf(body, 'max_tokens')
  const allowed = typeof limit === 'number' && limit >= 1 ? Math.floor(limit) : words.length
  const limited = words.slice(0, allowed)
  const prompt = messages.map((message) => textOf(fieldOf(message, 'content'))).join('\n')
  const usage = { prompt_tokens: Math.ceil(prompt.length / CHARACTERS_PER_TOKEN), completion_tokens: limited.length }
  return {
    words: limited,
    finishReason: limited.length < words.length ? 'length' : 'stop',
    usage: { ...usage, total_tokens: usage.prompt_tokens + usage.completion_tokens },
  }
}

/** Returns an own property of an object; undefined for all other values. */
export function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return Object.entries(value).find(([key]) => key === name)?.[1]
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** Returns the text of a message's content, which is a text or a list of parts. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  return listOf(content)
    .map((part) => fieldOf(part, 'text'))
    .filter((text) => typeof text === 'string')
    .join(' ')
}
