import { counts, type RecordedAnswer } from './recorded-answer-under-test.ts'

const events = (...chunks: readonly object[]): string =>
  chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\r\n\r\n`).join('')
const ndjson = (...chunks: readonly object[]): string => chunks.map((chunk) => `${JSON.stringify(chunk)}\n`).join('')
const chatChunk = (delta: object, more: object = {}): object => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1_763_690_400,
  model: 'gpt-4o-2024-08-06',
  choices: [{ index: 0, delta, logprobs: null, finish_reason: null }],
  ...more,
})
const geminiChunk = (text: string, usageMetadata: object): object => ({
  candidates: [{ content: { parts: [{ text }], role: 'model' }, index: 0 }],
  usageMetadata,
  modelVersion: 'gemini-2.5-flash',
})
const GEMINI_STREAM = [
  geminiChunk('Hel', { promptTokenCount: 4_000, totalTokenCount: 4_000 }),
  geminiChunk('lo', {
    promptTokenCount: 4_000,
    candidatesTokenCount: 2,
    thoughtsTokenCount: 1_000,
    totalTokenCount: 5_002,
  }),
] as const

/** Makes a frame of AWS's event stream; the checksums are arbitrary bytes, which aren't UTF-8. */
export function awsFrame(payload: object): Buffer {
  const body = Buffer.from(JSON.stringify(payload))
  const frame = Buffer.alloc(16 + body.length, 0xff)
  frame.writeUInt32BE(frame.length, 0)
  frame.writeUInt32BE(0, 4)
  body.copy(frame, 12)
  return frame
}
const CONVERSE_STREAM = Buffer.concat([
  awsFrame({ role: 'assistant', p: 'ab' }),
  awsFrame({ contentBlockIndex: 0, delta: { text: 'Hel' }, p: 'abc' }),
  awsFrame({ contentBlockIndex: 0, delta: { text: 'lo' }, p: 'a' }),
  awsFrame({ stopReason: 'end_turn' }),
  awsFrame({ metrics: { latencyMs: 5 }, usage: { inputTokens: 20, outputTokens: 2, totalTokens: 22 } }),
]).toString('base64')

/** InvokeModel's frames have the model's own chunks in base64. */
const INVOKE_STREAM = Buffer.concat(
  [
    {
      type: 'message_start',
      message: { usage: { input_tokens: 25, cache_read_input_tokens: 75, output_tokens: 1 } },
    },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hel' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'lo' } },
    // `input_tokens` excludes cached tokens, which this event doesn't repeat.
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { input_tokens: 25, output_tokens: 15 } },
    { type: 'message_stop', 'amazon-bedrock-invocationMetrics': { inputTokenCount: 25, outputTokenCount: 15 } },
  ].map((chunk) => awsFrame({ bytes: Buffer.from(JSON.stringify(chunk)).toString('base64'), p: 'abc' })),
).toString('base64')
const INVOKED_NOVA = Buffer.concat(
  [
    { contentBlockDelta: { delta: { text: 'Hello' }, contentBlockIndex: 0 } },
    {
      metadata: { usage: { inputTokens: 20, outputTokens: 2 } },
      'amazon-bedrock-invocationMetrics': { inputTokenCount: 20, outputTokenCount: 2, cacheReadInputTokenCount: 4 },
    },
  ].map((chunk) => awsFrame({ bytes: Buffer.from(JSON.stringify(chunk)).toString('base64') })),
).toString('base64')

/** Streamed answers in a record's forms: text, a list or base64. */
export const STREAMED_ANSWERS: readonly RecordedAnswer[] = [
  {
    dialect: 'OpenAI chat, streamed with usage',
    payload: `${events(
      chatChunk({ role: 'assistant', content: '' }, { usage: null }),
      chatChunk({ content: 'Hel' }, { usage: null }),
      chatChunk({ content: 'lo' }, { usage: null }),
      chatChunk({}, { choices: [], usage: { prompt_tokens: 8, completion_tokens: 2, total_tokens: 10 } }),
    )}data: [DONE]\n\n`,
    usage: counts(8, 2),
    texts: ['Hello'],
  },
  {
    dialect: 'OpenAI chat, streamed without usage',
    payload: `${events(chatChunk({ content: 'Hel' }), chatChunk({ content: 'lo' }))}data: [DONE]\n\n`,
    usage: undefined,
    texts: ['Hello'],
  },
  {
    dialect: 'OpenAI responses, streamed',
    payload: events(
      { type: 'response.created', response: { output: [], usage: null } },
      { type: 'response.output_text.delta', delta: 'Hel' },
      { type: 'response.output_text.delta', delta: 'lo' },
      { type: 'response.output_text.done', text: 'Hello' },
      {
        type: 'response.completed',
        response: {
          output: [{ type: 'message', content: [{ type: 'output_text', text: 'Hello' }] }],
          usage: { input_tokens: 37, output_tokens: 11, total_tokens: 48 },
        },
      },
    ),
    usage: counts(37, 11),
    texts: ['Hello'],
  },
  {
    dialect: 'Anthropic, streamed',
    payload: events(
      {
        type: 'message_start',
        message: {
          role: 'assistant',
          content: [],
          usage: { input_tokens: 25, cache_read_input_tokens: 75, output_tokens: 1 },
        },
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hel' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'lo' } },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 15 } },
      { type: 'message_stop' },
    ),
    usage: { ...counts(100, 15), cached: 75 },
    texts: ['Hello'],
  },
  {
    dialect: 'Gemini, streamed as a list',
    payload: GEMINI_STREAM,
    usage: counts(4_000, 1_002),
    texts: ['Hello'],
  },
  {
    dialect: 'Gemini, streamed as events',
    payload: events(...GEMINI_STREAM),
    usage: counts(4_000, 1_002),
    texts: ['Hello'],
  },
  {
    dialect: 'Bedrock Converse, streamed',
    payload: { base64: CONVERSE_STREAM },
    usage: counts(20, 2),
    texts: ['Hello'],
  },
  {
    dialect: 'Bedrock InvokeModel, streamed',
    payload: { base64: INVOKE_STREAM },
    usage: { ...counts(100, 15), cached: 75 },
    texts: ['Hello'],
  },
  {
    dialect: 'Bedrock InvokeModel, streamed by a model of Amazon',
    payload: { base64: INVOKED_NOVA },
    usage: { ...counts(24, 2), cached: 4 },
    texts: ['Hello'],
  },
  {
    dialect: 'Cohere chat v1, streamed',
    payload: ndjson(
      { event_type: 'stream-start', generation_id: 'g' },
      { event_type: 'text-generation', text: 'Hel' },
      { event_type: 'text-generation', text: 'lo' },
      {
        event_type: 'stream-end',
        response: { text: 'Hello', meta: { tokens: { input_tokens: 71, output_tokens: 3 } } },
      },
    ),
    usage: counts(71, 3),
    texts: ['Hello'],
  },
  {
    dialect: 'Cohere chat v2, streamed',
    payload: events(
      { type: 'message-start', delta: { message: { role: 'assistant', content: [] } } },
      { type: 'content-delta', index: 0, delta: { message: { content: { text: 'Hel' } } } },
      { type: 'content-delta', index: 0, delta: { message: { content: { text: 'lo' } } } },
      { type: 'message-end', delta: { usage: { tokens: { input_tokens: 71, output_tokens: 2 } } } },
    ),
    usage: counts(71, 2),
    texts: ['Hello'],
  },
  {
    dialect: 'Mistral, streamed with reasoning in parts',
    payload: events(
      chatChunk({ role: 'assistant', content: '' }),
      chatChunk({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Hel' }] }] }),
      chatChunk({ content: 'lo' }),
    ),
    usage: undefined,
    texts: ['Hello'],
  },
  {
    dialect: 'vLLM, streamed with continuous usage and reasoning',
    payload: events(
      chatChunk(
        { reasoning: 'Hel', reasoning_content: 'Hel' },
        { usage: { prompt_tokens: 9, completion_tokens: 1, total_tokens: 10 } },
      ),
      chatChunk({ content: 'lo' }, { usage: { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 } }),
    ),
    usage: counts(9, 2),
    texts: ['Hello'],
  },
  {
    dialect: 'Ollama chat, streamed',
    payload: ndjson(
      { model: 'llama3', message: { role: 'assistant', content: 'Hel' }, done: false },
      { model: 'llama3', message: { role: 'assistant', content: 'lo' }, done: false },
      {
        model: 'llama3',
        message: { role: 'assistant', content: '' },
        done: true,
        prompt_eval_count: 26,
        eval_count: 2,
      },
    ),
    usage: counts(26, 2),
    texts: ['Hello'],
  },
  {
    dialect: 'Text Generation Inference, streamed',
    payload: events(
      { index: 1, token: { id: 1, text: 'Hel', special: false }, generated_text: null },
      { index: 2, token: { id: 2, text: 'lo', special: false }, generated_text: 'Hello' },
    ),
    usage: undefined,
    texts: ['Hello'],
  },
]
