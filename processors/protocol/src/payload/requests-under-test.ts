/** A request of one dialect and the texts that a model reads. */
export type RequestUnderTest = {
  readonly dialect: string
  readonly payload: unknown
  readonly texts: readonly string[]
}

export const REQUESTS_UNDER_TEST: readonly RequestUnderTest[] = [
  {
    dialect: 'OpenAI chat with parts and tools',
    payload: {
      model: 'gpt-4o',
      messages: [
        { role: 'system', content: 'Be brief.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Hi' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
            { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
          ],
        },
        { role: 'assistant', content: null, tool_calls: [{ id: 'c', function: { name: 'f', arguments: '{"a":1}' } }] },
        { role: 'tool', tool_call_id: 'c', content: 'sunny' },
      ],
      tools: [{ type: 'function', function: { name: 'f', description: 'not read here', parameters: {} } }],
    },
    texts: ['Be brief.', 'Hi', '{"a":1}', 'sunny'],
  },
  {
    dialect: 'OpenAI responses',
    payload: {
      model: 'gpt-5',
      instructions: 'Be brief.',
      input: [
        { role: 'user', content: [{ type: 'input_text', text: 'Hi' }] },
        { type: 'function_call', call_id: 'c', name: 'f', arguments: '{"a":1}' },
        { type: 'function_call_output', call_id: 'c', output: '{"sky":"sunny"}' },
      ],
    },
    texts: ['Be brief.', 'Hi', '{"a":1}', '{"sky":"sunny"}'],
  },
  { dialect: 'OpenAI embeddings', payload: { model: 'text-embedding-3-small', input: ['a', 'b'] }, texts: ['a', 'b'] },
  { dialect: 'OpenAI text completion', payload: { model: 'm', prompt: 'Hi' }, texts: ['Hi'] },
  {
    dialect: 'Anthropic',
    payload: {
      model: 'claude-sonnet-4-5',
      system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'f', input: { a: 1 } }] },
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: 't', content: [{ type: 'text', text: 'sunny' }] }],
        },
        {
          role: 'user',
          content: [
            { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'A page.' } },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
          ],
        },
      ],
    },
    texts: ['Be brief.', 'Hi', '{"a":1}', 'sunny', 'A page.'],
  },
  {
    dialect: 'Mistral, with earlier reasoning',
    payload: {
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Greet.' }] }] },
      ],
    },
    texts: ['Hi', 'Greet.'],
  },
  {
    dialect: 'Gemini',
    payload: {
      systemInstruction: { parts: [{ text: 'Be brief.' }] },
      contents: [
        { role: 'user', parts: [{ text: 'Hi' }, { inlineData: { mimeType: 'image/png', data: 'AAAA' } }] },
        { role: 'model', parts: [{ functionCall: { name: 'f', args: { a: 1 } } }] },
        { role: 'user', parts: [{ functionResponse: { name: 'f', response: { sky: 'sunny' } } }] },
      ],
    },
    texts: ['Be brief.', 'Hi', '{"a":1}', '{"sky":"sunny"}'],
  },
  {
    dialect: 'Bedrock Converse',
    payload: {
      system: [{ text: 'Be brief.' }],
      messages: [
        { role: 'user', content: [{ text: 'Hi' }, { image: { format: 'png', source: { bytes: 'AAAA' } } }] },
        { role: 'assistant', content: [{ toolUse: { toolUseId: 't', name: 'f', input: { a: 1 } } }] },
        { role: 'user', content: [{ toolResult: { toolUseId: 't', content: [{ json: { sky: 'sunny' } }] } }] },
      ],
    },
    texts: ['Be brief.', 'Hi', '{"a":1}', '{"sky":"sunny"}'],
  },
  {
    dialect: 'Cohere chat v1',
    payload: { preamble: 'Be brief.', chat_history: [{ role: 'USER', message: 'Hi' }], message: 'And now?' },
    texts: ['Be brief.', 'Hi', 'And now?'],
  },
  { dialect: 'Cohere embeddings', payload: { texts: ['a', 'b'], input_type: 'search_query' }, texts: ['a', 'b'] },
  {
    dialect: 'Ollama generate',
    payload: { model: 'llama3', system: 'Be brief.', prompt: 'Hi', images: ['AAAA'] },
    texts: ['Be brief.', 'Hi'],
  },
  { dialect: 'Text Generation Inference', payload: { inputs: 'Hi', parameters: { stop: ['x'] } }, texts: ['Hi'] },
]
