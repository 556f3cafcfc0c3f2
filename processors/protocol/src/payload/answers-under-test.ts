import { counts, type RecordedAnswer } from './recorded-answer-under-test.ts'

/** Unstreamed answers from the APIs' documentation. */
export const WHOLE_ANSWERS: readonly RecordedAnswer[] = [
  {
    dialect: 'OpenAI chat',
    payload: {
      id: 'chatcmpl-1',
      object: 'chat.completion',
      model: 'gpt-4o-2024-08-06',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'Hello', refusal: null },
          logprobs: { content: [{ token: 'Hello', logprob: -0.1, bytes: null, top_logprobs: [] }] },
          finish_reason: 'stop',
        },
      ],
      usage: {
        prompt_tokens: 19,
        completion_tokens: 10,
        total_tokens: 29,
        prompt_tokens_details: { cached_tokens: 16, audio_tokens: 0 },
      },
    },
    usage: { ...counts(19, 10), cached: 16 },
    texts: ['Hello'],
  },
  {
    dialect: 'OpenAI chat, calling a tool',
    payload: {
      choices: [
        {
          message: {
            role: 'assistant',
            content: null,
            tool_calls: [
              { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Rome"}' } },
            ],
          },
        },
      ],
      usage: { prompt_tokens: 82, completion_tokens: 17, total_tokens: 99 },
    },
    usage: counts(82, 17),
    texts: ['{"city":"Rome"}'],
  },
  {
    dialect: 'Azure OpenAI',
    payload: {
      prompt_filter_results: [
        { prompt_index: 0, content_filter_results: { hate: { filtered: false, severity: 'safe' } } },
      ],
      choices: [{ message: { role: 'assistant', content: 'Hello' }, content_filter_results: {} }],
      usage: { prompt_tokens: 4, completion_tokens: 5, total_tokens: 9 },
    },
    usage: counts(4, 5),
    texts: ['Hello'],
  },
  {
    dialect: 'OpenAI responses',
    payload: {
      object: 'response',
      instructions: 'Be brief.',
      output: [
        { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Greet.' }] },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hello', annotations: [] }] },
        { type: 'function_call', call_id: 'call_1', name: 'weather', arguments: '{}' },
      ],
      usage: {
        input_tokens: 36,
        input_tokens_details: { cached_tokens: 30 },
        output_tokens: 87,
        output_tokens_details: { reasoning_tokens: 64 },
        total_tokens: 123,
      },
    },
    usage: { ...counts(36, 87), cached: 30 },
    texts: ['Greet.', 'Hello', '{}'],
  },
  {
    dialect: 'OpenAI embeddings',
    payload: {
      object: 'list',
      data: [{ object: 'embedding', index: 0, embedding: [0.1, 0.2] }],
      usage: { prompt_tokens: 8, total_tokens: 8 },
    },
    usage: { prompt: 8, total: 8 },
    texts: [],
  },
  {
    dialect: 'Anthropic, with a cache',
    payload: {
      type: 'message',
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'Greet.', signature: 'EqQB' },
        { type: 'text', text: 'Hello' },
        { type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: 'Rome' } },
      ],
      usage: {
        input_tokens: 5,
        cache_creation_input_tokens: 1_000,
        cache_read_input_tokens: 90_000,
        output_tokens: 20,
      },
    },
    usage: { ...counts(91_005, 20), cached: 90_000 },
    texts: ['Greet.', 'Hello', '{"city":"Rome"}'],
  },
  {
    dialect: 'Gemini',
    payload: {
      candidates: [
        {
          content: {
            parts: [{ text: 'Hello' }, { functionCall: { name: 'weather', args: { city: 'Rome' } } }],
            role: 'model',
          },
          finishReason: 'STOP',
        },
      ],
      usageMetadata: {
        promptTokenCount: 4_000,
        cachedContentTokenCount: 3_000,
        candidatesTokenCount: 2,
        thoughtsTokenCount: 1_000,
        totalTokenCount: 5_002,
      },
    },
    usage: { ...counts(4_000, 1_002), cached: 3_000 },
    texts: ['Hello', '{"city":"Rome"}'],
  },
  {
    dialect: 'Bedrock Converse, with a cache',
    payload: {
      metrics: { latencyMs: 551 },
      output: {
        message: {
          role: 'assistant',
          content: [{ text: 'Hello' }, { toolUse: { toolUseId: 't', name: 'weather', input: { city: 'Rome' } } }],
        },
      },
      stopReason: 'end_turn',
      usage: {
        inputTokens: 30,
        outputTokens: 28,
        totalTokens: 58,
        cacheReadInputTokens: 100,
        cacheWriteInputTokens: 10,
      },
    },
    usage: { ...counts(140, 28), cached: 100 },
    texts: ['Hello', '{"city":"Rome"}'],
  },
  {
    dialect: 'Titan text of Bedrock',
    payload: {
      inputTextTokenCount: 5,
      results: [{ tokenCount: 7, outputText: 'Hello', completionReason: 'FINISH' }],
    },
    usage: counts(5, 7),
    texts: ['Hello'],
  },
  {
    dialect: 'Cohere chat v2, with a cache',
    payload: {
      message: { role: 'assistant', content: [{ type: 'text', text: 'Hello' }] },
      usage: {
        billed_units: { input_tokens: 7, output_tokens: 2 },
        tokens: { input_tokens: 71, output_tokens: 2 },
        cached_tokens: 64,
      },
    },
    usage: { ...counts(71, 2), cached: 64 },
    texts: ['Hello'],
  },
  {
    dialect: 'Cohere chat v1',
    payload: {
      response_id: 'r',
      text: 'Hello',
      chat_history: [{ role: 'USER', message: 'Hi' }],
      meta: {
        api_version: { version: '1' },
        billed_units: { input_tokens: 5, output_tokens: 2 },
        tokens: { input_tokens: 71, output_tokens: 3 },
      },
    },
    usage: counts(71, 3),
    texts: ['Hello'],
  },
  {
    dialect: 'Cohere chat v2',
    payload: {
      id: 'c',
      message: { role: 'assistant', content: [{ type: 'text', text: 'Hello' }] },
      usage: {
        billed_units: { input_tokens: 5, output_tokens: 418 },
        tokens: { input_tokens: 71, output_tokens: 418 },
      },
    },
    usage: counts(71, 418),
    texts: ['Hello'],
  },
  {
    dialect: 'Cohere embeddings',
    payload: { embeddings: { float: [[0.1]] }, meta: { billed_units: { input_tokens: 6 } } },
    usage: { prompt: 6 },
    texts: [],
  },
  {
    dialect: 'Mistral, reasoning in parts',
    payload: {
      choices: [
        {
          message: {
            role: 'assistant',
            content: [
              { type: 'thinking', thinking: [{ type: 'text', text: 'Greet.' }], closed: true },
              { type: 'text', text: 'Hello' },
            ],
          },
        },
      ],
      usage: { prompt_tokens: 4, total_tokens: 9, completion_tokens: 5 },
    },
    usage: counts(4, 5),
    texts: ['Greet.', 'Hello'],
  },
  {
    dialect: 'vLLM text completion',
    payload: {
      object: 'text_completion',
      choices: [{ index: 0, text: 'Hello', logprobs: null }],
      usage: { prompt_tokens: 4, total_tokens: 9, completion_tokens: 5, prompt_tokens_details: null },
    },
    usage: counts(4, 5),
    texts: ['Hello'],
  },
  {
    dialect: 'Ollama chat',
    payload: { message: { role: 'assistant', content: 'Hello' }, done: true, prompt_eval_count: 26, eval_count: 29 },
    usage: counts(26, 29),
    texts: ['Hello'],
  },
  {
    dialect: 'Ollama generate',
    payload: { model: 'llama3', response: 'Hello', done: true, context: [1, 2], eval_count: 29 },
    usage: { completion: 29 },
    texts: ['Hello'],
  },
]
