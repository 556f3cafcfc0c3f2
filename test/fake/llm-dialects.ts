import type { Header, LlmAnswer } from './llm-answer.ts'
import { jsonAnswer } from './llm-answer.ts'

type Fields = Readonly<Record<string, unknown>>
export type StreamOptions = {
  /** Awaited before the event of this number, beginning with 0: with it a test controls the pace. */
  readonly before?: (index: number) => Promise<void> | void
}

export const ANSWER_TEXT = 'The founders of Microsoft are Bill Gates and Paul Allen.'
const WORDS = ANSWER_TEXT.split(/(?<= )/)
const CREATED = 1_763_690_400

/** Answers like an LLM API: chat completions, Anthropic messages or OpenAI responses by path, streamed if asked. */
export function answerLikeAnLlm(url: string, body: Uint8Array, options: StreamOptions = {}): LlmAnswer {
  const path = url.split('?')[0] ?? ''
  const asked = parseBody(body)
  const dialect = path.endsWith('/messages') ? 'messages' : path.endsWith('/responses') ? 'responses' : 'chat'
  if (path.endsWith('/models')) return jsonAnswer({ object: 'list', data: [{ id: 'gpt-4', object: 'model' }] })
  if (dialect === 'chat' && !path.endsWith('/chat/completions')) return jsonAnswer(NOT_FOUND, { status: 404 })
  if (asked.stream !== true) return jsonAnswer(whole[dialect](asked))
  const headers: Header[] = [
    ['Content-Type', 'text/event-stream; charset=utf-8'],
    ['Cache-Control', 'no-cache'],
  ]
  return { kind: 'answer', headers, body: withPauses([...events[dialect](asked)], options) }
}

const NOT_FOUND = { error: { message: 'no such path', type: 'invalid_request_error', code: 'not_found' } }

const whole = {
  chat: (asked: Fields) => ({
    ...chatHead(asked, 'chat.completion'),
    choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: ANSWER_TEXT } }],
    usage: CHAT_USAGE,
  }),
  messages: (asked: Fields) => ({
    ...messageHead(asked),
    content: [{ type: 'text', text: ANSWER_TEXT }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 13, output_tokens: 11 },
  }),
  responses: (asked: Fields) => completedResponse(asked),
} as const

const events = {
  chat: chatEvents,
  messages: messageEvents,
  responses: responseEvents,
} as const

const CHAT_USAGE = { prompt_tokens: 13, completion_tokens: 11, total_tokens: 24 }

function chatHead(asked: Fields, object: string): Fields {
  return { id: 'chatcmpl-test', object, created: CREATED, model: asked.model ?? 'gpt-4', system_fingerprint: 'fp_test' }
}

function* chatEvents(asked: Fields): Generator<string> {
  const head = chatHead(asked, 'chat.completion.chunk')
  const chunk = (delta: Fields, finish_reason: string | null = null): string =>
    sse({ ...head, choices: [{ index: 0, delta, finish_reason }] })
  yield chunk({ role: 'assistant', content: '' })
  for (const content of WORDS) yield chunk({ content })
  yield chunk({}, 'stop')
  const streamOptions = asked.stream_options
  if (isFields(streamOptions) && streamOptions.include_usage === true) {
    yield sse({ ...head, choices: [], usage: CHAT_USAGE })
  }
  yield 'data: [DONE]\n\n'
}

function messageHead(asked: Fields): Fields {
  const model = asked.model ?? 'claude-test'
  return { id: 'msg_test', type: 'message', role: 'assistant', model, stop_sequence: null }
}

function* messageEvents(asked: Fields): Generator<string> {
  const usage = { input_tokens: 13, output_tokens: 1 }
  const message = { ...messageHead(asked), content: [], stop_reason: null, usage }
  yield namedEvent({ type: 'message_start', message })
  yield namedEvent({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } })
  yield namedEvent({ type: 'ping' })
  for (const text of WORDS) {
    yield namedEvent({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })
  }
  yield namedEvent({ type: 'content_block_stop', index: 0 })
  const delta = { stop_reason: 'end_turn', stop_sequence: null }
  yield namedEvent({ type: 'message_delta', delta, usage: { output_tokens: 11 } })
  yield namedEvent({ type: 'message_stop' })
}

function completedResponse(asked: Fields): Fields {
  return {
    ...responseHead(asked),
    status: 'completed',
    output: [{ ...OUTPUT_ITEM, status: 'completed', content: [{ ...OUTPUT_PART, text: ANSWER_TEXT }] }],
    usage: { input_tokens: 13, output_tokens: 11, total_tokens: 24 },
  }
}

function responseHead(asked: Fields): Fields {
  return { id: 'resp_test', object: 'response', created_at: CREATED, model: asked.model ?? 'gpt-4', error: null }
}

const OUTPUT_ITEM = { type: 'message', id: 'msg_test', role: 'assistant' }
const OUTPUT_PART = { type: 'output_text', text: '', annotations: [] }

function* responseEvents(asked: Fields): Generator<string> {
  const begun = { ...responseHead(asked), status: 'in_progress', output: [] }
  const part = { item_id: OUTPUT_ITEM.id, output_index: 0, content_index: 0 }
  const open = { ...OUTPUT_ITEM, status: 'in_progress', content: [] }
  const completed = completedResponse(asked)
  const list: Fields[] = [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    { type: 'response.output_item.added', output_index: 0, item: open },
    { type: 'response.content_part.added', ...part, part: OUTPUT_PART },
    ...WORDS.map((delta) => ({ type: 'response.output_text.delta', ...part, delta })),
    { type: 'response.output_text.done', ...part, text: ANSWER_TEXT },
    { type: 'response.content_part.done', ...part, part: { ...OUTPUT_PART, text: ANSWER_TEXT } },
    {
      type: 'response.output_item.done',
      output_index: 0,
      item: { ...OUTPUT_ITEM, status: 'completed', content: [{ ...OUTPUT_PART, text: ANSWER_TEXT }] },
    },
    { type: 'response.completed', response: completed },
  ]
  for (const [index, event] of list.entries()) yield namedEvent({ ...event, sequence_number: index })
}

async function* withPauses(list: readonly string[], options: StreamOptions): AsyncGenerator<string> {
  for (const [index, event] of list.entries()) {
    await options.before?.(index)
    yield event
  }
}

function sse(event: Fields): string {
  return `data: ${JSON.stringify(event)}\n\n`
}

function namedEvent(event: Fields): string {
  return `event: ${String(event.type)}\n${sse(event)}`
}

function parseBody(body: Uint8Array): Fields {
  if (body.length === 0) return {}
  const value: unknown = JSON.parse(Buffer.from(body).toString())
  return isFields(value) ? value : {}
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
