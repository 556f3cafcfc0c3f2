import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { type BusClient, connectBusClient } from '@llm-gateway/test/fake/bus-client'
import { startNatsServer } from '@llm-gateway/test/fake/nats-server'
import { startProgram, waitForLine } from '@llm-gateway/test/fake/program'

// Rules: docs/reference/processors.md#content-filter

const MAIN = join(import.meta.dirname, 'main.ts')
const ABUSE = 'You are a worthless idiot, I will kill you.'
const ORDINARY = 'How do I kill a process that listens on port 8080?'
const PICTURE = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }
/** More than 16 KiB, so that a thread reads the message. */
const LONG = 'The clusters in Berlin cost 42 euros a day. '.repeat(600)
const EARLIER = 'What is the weather like?'

/** Makes a request of each dialect that asks `text`; its instructions and earlier turns are `before`. */
const DIALECTS: Readonly<Record<string, (text: string, before?: string) => object>> = {
  'OpenAI chat': (text, before = EARLIER) => ({
    messages: [
      { role: 'system', content: before },
      { role: 'user', content: text },
    ],
  }),
  'OpenAI chat of one message with parts': (text) => ({
    messages: [{ role: 'user', content: [{ type: 'text', text }, PICTURE] }],
  }),
  'OpenAI responses, a text': (text, before = EARLIER) => ({ model: 'gpt-5', instructions: before, input: text }),
  'OpenAI responses, a conversation': (text, before = EARLIER) => ({
    input: [
      { role: 'user', content: before },
      { type: 'function_call', call_id: 'c', name: 'f', arguments: '{"a":1}' },
      { type: 'function_call_output', call_id: 'c', output: before },
      { role: 'user', content: [{ type: 'input_text', text }] },
    ],
  }),
  'OpenAI text completion': (text) => ({ model: 'm', prompt: text }),
  'several prompts': (text) => ({ model: 'm', prompt: [EARLIER, text] }),
  embeddings: (text) => ({ model: 'text-embedding-3-small', input: text }),
  'several embeddings': (text) => ({ input: [EARLIER, text, EARLIER] }),
  Anthropic: (text, before = EARLIER) => ({
    system: before,
    max_tokens: 5,
    messages: [{ role: 'user', content: text }],
  }),
  'Anthropic with parts': (text, before = EARLIER) => ({
    system: [{ type: 'text', text: before }],
    messages: [
      {
        role: 'user',
        content: [
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
          { type: 'document', source: { type: 'text', media_type: 'text/plain', data: text } },
        ],
      },
    ],
  }),
  Gemini: (text, before = EARLIER) => ({
    systemInstruction: { parts: [{ text: before }] },
    contents: [
      { role: 'user', parts: [{ text: before }] },
      { role: 'model', parts: [{ text: before }] },
      { role: 'user', parts: [{ text }, { inlineData: { mimeType: 'image/png', data: 'AAAA' } }] },
    ],
  }),
  'Gemini without roles': (text) => ({ contents: [{ parts: [{ text }] }] }),
  'Gemini embedding': (text) => ({ content: { parts: [{ text }] } }),
  'Bedrock Converse': (text, before = EARLIER) => ({
    system: [{ text: before }],
    messages: [{ role: 'user', content: [{ text }, { image: { format: 'png', source: { bytes: 'AAAA' } } }] }],
  }),
  'Bedrock Titan': (text) => ({ inputText: text, textGenerationConfig: {} }),
  'Cohere chat v1': (text, before = EARLIER) => ({
    preamble: before,
    chat_history: [
      { role: 'USER', message: before },
      { role: 'CHATBOT', message: before },
    ],
    message: text,
  }),
  'Cohere chat v2': (text) => ({ model: 'command-a', messages: [{ role: 'user', content: [{ type: 'text', text }] }] }),
  'Cohere rerank': (text) => ({ query: text, documents: ['a page', 'another'] }),
  'Cohere embeddings': (text) => ({ texts: [EARLIER, text], input_type: 'search_query' }),
  'Ollama chat': (text) => ({
    model: 'llama3',
    messages: [{ role: 'user', content: text, images: ['AAAA'] }],
    options: { num_ctx: 4_096 },
  }),
  'Ollama generate': (text, before = EARLIER) => ({ model: 'llama3', system: before, prompt: text, images: ['AAAA'] }),
  'Text Generation Inference': (text) => ({ inputs: text, parameters: { stop: ['x'] } }),
  'an unknown form': (text) => ({ ask: { me: text } }),
}

describe('the content filter finds the caller’s question in every dialect', () => {
  const running = new AsyncDisposableStack()
  let client: BusClient
  const isToxic = async (body: object): Promise<unknown> => {
    const message = Buffer.from(JSON.stringify({ ingress_payload: body }))
    return JSON.parse(Buffer.from(await client.request('llm.gl.contentfilter', message, 60_000)).toString()).is_toxic
  }

  before(async () => {
    const server = running.use(await startNatsServer())
    const environment = { GATEWAY_HOST: server.address, NATS_TOKEN: server.token }
    const program = running.use(await startProgram({ command: process.execPath, args: [MAIN], environment }))
    await waitForLine(program, /processor initialized/)
    client = running.use(await connectBusClient(server))
  })
  after(() => running.disposeAsync())

  for (const [dialect, body] of Object.entries(DIALECTS)) {
    it(`${dialect}: abuse is refused, short and long, and an ordinary question passes`, async () => {
      const texts = [ABUSE, ORDINARY, `${LONG}${ABUSE}`, `${LONG}${ORDINARY}`]
      const verdicts = await Promise.all(texts.map((text) => isToxic(body(text))))
      assert.deepEqual(verdicts, [true, false, true, false])
      // Instructions, answers and earlier questions aren't scored.
      assert.equal(await isToxic(body(ORDINARY, ABUSE)), false)
    })
  }
})
