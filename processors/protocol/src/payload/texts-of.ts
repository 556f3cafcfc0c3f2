import { isJsonObject } from '../json.ts'
import { streamChunks } from './stream-chunks.ts'

type Members = Readonly<Record<string, unknown>>

/** A text of a payload. `written`: by a person or a model; `tool`: a tool's arguments or result, mostly JSON. */
export type PayloadText = { readonly kind: 'written' | 'tool'; readonly text: string }

/** First-level members of a request that contain text, in all dialects. */
const REQUEST_ROOTS = new Set([
  ...['system', 'instructions', 'preamble', 'systemInstruction', 'system_instruction'],
  ...['messages', 'chat_history', 'message', 'contents', 'content', 'requests', 'instances'],
  ...['prompt', 'suffix', 'input', 'inputs', 'inputText', 'query', 'texts', 'documents'],
])
/** First-level members of an answer that contain text. */
const ANSWER_ROOTS = new Set([
  ...['choices', 'content', 'output', 'outputs', 'candidates', 'message', 'response', 'text'],
  ...['completion', 'generation', 'generations', 'generated_text', 'results', 'tool_calls'],
])
/** First-level members of a stream's event that contain text. */
const CHUNK_ROOTS = new Set([...ANSWER_ROOTS, 'delta', 'token', 'contentBlockDelta'])

/** Members whose strings are written text. */
const WRITTEN = new Set([
  ...['content', 'text', 'thinking', 'reasoning', 'reasoning_content', 'refusal', 'message', 'prompt', 'response'],
  ...['completion', 'generation', 'generated_text', 'outputText', 'transcript', 'snippet'],
])
/** Members that contain members with text; all others (pictures, sound, log probabilities, ids) are skipped. */
const LEADING = new Set([
  ...['content', 'contents', 'parts', 'message', 'messages', 'delta', 'text', 'summary', 'reasoning', 'thinking'],
  ...['function', 'function_call', 'tool_calls', 'functionCall', 'functionResponse', 'toolUse', 'toolResult'],
  ...['reasoningContent', 'reasoningText', 'audio', 'source', 'document'],
])
/** Members with a tool's arguments or result: texts, or values whose JSON is the text. */
const TOOL = new Set(['arguments', 'args', 'input', 'partial_json', 'output', 'json'])

/** Returns the texts of a request that a model reads, in the payload's order; none for an unknown form. */
export function requestTexts(payload: unknown): readonly PayloadText[] {
  return isJsonObject(payload) ? textsIn(payload, REQUEST_ROOTS) : []
}

/** Returns the texts that a model wrote; a stream's pieces are joined. */
export function answerTexts(payload: unknown): readonly PayloadText[] {
  if (isJsonObject(payload) && typeof payload.base64 !== 'string') return textsIn(payload, ANSWER_ROOTS)
  const joined = new Map<PayloadText['kind'], string>()
  for (const chunk of streamChunks(payload)) {
    for (const { kind, text } of textsOfChunk(chunk)) joined.set(kind, (joined.get(kind) ?? '') + text)
  }
  return [...joined].map(([kind, text]) => ({ kind, text }))
}

/** Returns the texts of a chunk, without those of final events, which repeat the pieces. */
function textsOfChunk(chunk: Members): readonly PayloadText[] {
  const { type, delta, token } = chunk
  if (chunk.event_type === 'stream-end') return []
  if (isJsonObject(token)) return textsIn({ token: token.text }, CHUNK_ROOTS)
  if (typeof type !== 'string' || !type.startsWith('response.')) return textsIn(chunk, CHUNK_ROOTS)
  if (typeof delta !== 'string') return []
  return [{ kind: type.includes('arguments') ? 'tool' : 'written', text: delta }]
}

type Step = { readonly kind: PayloadText['kind']; readonly value: unknown }

function textsIn(payload: Members, roots: ReadonlySet<string>): readonly PayloadText[] {
  const found: PayloadText[] = []
  const first = Object.entries(payload).filter(([name]) => roots.has(name))
  // An explicit stack instead of recursion, since the sender chooses the depth.
  const open: Step[] = first.map(([, value]) => ({ kind: 'written' as const, value })).reverse()
  for (let step = open.pop(); step !== undefined; step = open.pop()) {
    const { kind, value } = step
    if (typeof value === 'string') found.push({ kind, text: value })
    else if (kind === 'tool') found.push({ kind, text: jsonText(value) })
    else if (Array.isArray(value)) for (const item of value.toReversed()) open.push({ kind, value: item })
    else if (isJsonObject(value)) for (const member of stepsOf(value).toReversed()) open.push(member)
  }
  return found
}

/**
 * Returns the members that contain text. Iterates over keys, since an object may have a million members without text.
 */
function stepsOf(owner: Members): readonly Step[] {
  const steps: Step[] = []
  for (const name of Object.keys(owner)) {
    const value = owner[name]
    const kind = kindOf(name, value, owner)
    if (kind !== undefined) steps.push({ kind, value })
  }
  return steps
}

function kindOf(name: string, value: unknown, owner: Members): PayloadText['kind'] | undefined {
  if (typeof value === 'string') {
    if (TOOL.has(name)) return 'tool'
    if (name === 'data') return owner.type === 'text' ? 'written' : undefined
    // Some servers send the same text under both names.
    if (name === 'reasoning' && typeof owner.reasoning_content === 'string') return undefined
    return WRITTEN.has(name) ? 'written' : undefined
  }
  if (typeof value !== 'object' || value === null) return undefined
  if (TOOL.has(name) || name === 'response') return 'tool'
  return LEADING.has(name) ? 'written' : undefined
}

/** Serializes a value; empty when it is nested deeper than the stack allows. */
function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value)
  } catch (error) {
    if (error instanceof RangeError) return ''
    throw error
  }
}
