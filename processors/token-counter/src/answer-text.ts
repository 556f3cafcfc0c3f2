import { isJsonObject } from '@llm-gateway/protocol'

/** Where the dialects keep what the model wrote: chat and text completions, messages, responses, candidates, tool calls. */
const TEXT_KEYS: ReadonlySet<string> = new Set([
  'content',
  'text',
  'thinking',
  'reasoning_content',
  'refusal',
  'arguments',
  'response',
])
/** No dialect nests deeper; a hostile answer may. */
const MAX_DEPTH = 32

/** The text of an LLM's answer: what it wrote where that is found, else the answer's JSON. */
export function answerText(payload: unknown): string {
  if (payload === undefined || payload === null) return ''
  if (typeof payload === 'string') return payload
  const found: string[] = []
  collect(payload, found, MAX_DEPTH)
  return found.length > 0 ? found.join('\n') : (jsonText(payload) ?? '')
}

function collect(value: unknown, found: string[], depth: number): void {
  if (depth === 0) return
  if (Array.isArray(value)) for (const member of value) collect(member, found, depth - 1)
  if (!isJsonObject(value)) return
  for (const [key, member] of Object.entries(value)) {
    if (typeof member !== 'string') collect(member, found, depth - 1)
    else if (TEXT_KEYS.has(key)) found.push(member)
  }
}

/** Serializing recurses, and the answer's depth is its sender's choice. */
function jsonText(payload: unknown): string | undefined {
  try {
    return JSON.stringify(payload)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}
