import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'

/**
 * Runs in a pod: the LLM APIs of the examples, each with its own host name, dialect and header for the key. The program
 * needs only Node, so that a ConfigMap can hold it. argv: the folder of `tls.crt` and `tls.key`, and the key that all
 * accept. The text of an answer is that of the question. `/seen` returns the answered calls, latest last.
 */
const PORTS = { tls: 8443, vllm: 8000, ollama: 11434, seen: 8099 } as const
const MOST = 1_000
const USAGE = { prompt: 11, completion: 7 }
const TOTAL = USAGE.prompt + USAGE.completion

type Members = Readonly<Record<string, unknown>>
type Answer = { readonly status: number; readonly body: object }
type Api = {
  /** The header of the key and the prefix of its value; undefined if no key is needed. */
  readonly key: readonly [header: string, prefix: string] | undefined
  /** Matches path and query. */
  readonly path: RegExp
  readonly refusal: Answer
  /** Answers a request; undefined if the request is incomplete. */
  answer(asked: Members, headers: IncomingMessage['headers']): object | undefined
}

const [folder = '', key = ''] = process.argv.slice(2)
const seen: object[] = []
let answers = 0

const OPEN_AI: Api = {
  key: ['authorization', 'Bearer '],
  path: /^\/v1\/chat\/completions$/,
  refusal: { status: 401, body: { error: { message: 'Incorrect API key provided', code: 'invalid_api_key' } } },
  answer: (asked) => (typeof asked.model === 'string' ? chatCompletion(asked) : undefined),
}

const APIS: ReadonlyMap<string, Api> = new Map([
  ['api.openai.com', OPEN_AI],
  ['vllm.models.svc:8000', { ...OPEN_AI, refusal: { status: 401, body: { error: 'Unauthorized' } } }],
  [
    'res.openai.azure.com',
    {
      key: ['api-key', ''],
      path: /^\/(openai|llmapi)\/deployments\/[\w.-]+\/chat\/completions\?api-version=\d{4}-\d\d-\d\d$/,
      refusal: {
        status: 401,
        body: { error: { code: '401', message: 'Access denied due to invalid subscription key' } },
      },
      answer: chatCompletion,
    },
  ],
  [
    'api.anthropic.com',
    {
      key: ['x-api-key', ''],
      path: /^\/v1\/messages$/,
      refusal: {
        status: 401,
        body: { type: 'error', error: { type: 'authentication_error', message: 'invalid x-api-key' } },
      },
      answer: (asked, headers) =>
        typeof asked.max_tokens !== 'number' || headers['anthropic-version'] === undefined
          ? undefined
          : {
              ...{
                id: `msg_${answers}`,
                type: 'message',
                role: 'assistant',
                model: asked.model,
                stop_reason: 'end_turn',
              },
              content: [{ type: 'text', text: lastText(asked.messages) }],
              usage: { input_tokens: USAGE.prompt, output_tokens: USAGE.completion },
            },
    },
  ],
  [
    'generativelanguage.googleapis.com',
    {
      key: ['x-goog-api-key', ''],
      path: /^\/v1beta\/models\/[\w.-]+:generateContent$/,
      refusal: {
        status: 400,
        body: { error: { code: 400, message: 'API key not valid', status: 'INVALID_ARGUMENT' } },
      },
      answer: (asked) => ({
        candidates: [
          { index: 0, finishReason: 'STOP', content: { role: 'model', parts: [{ text: lastText(asked.contents) }] } },
        ],
        usageMetadata: {
          promptTokenCount: USAGE.prompt,
          candidatesTokenCount: USAGE.completion,
          totalTokenCount: TOTAL,
        },
      }),
    },
  ],
  [
    'bedrock-runtime.eu-central-1.amazonaws.com',
    {
      key: ['authorization', 'Bearer '],
      path: /^\/model\/[\w.%:-]+\/converse$/,
      refusal: { status: 403, body: { message: 'Authentication failed: Please make sure your API Key is valid.' } },
      answer: (asked) => ({
        output: { message: { role: 'assistant', content: [{ text: lastText(asked.messages) }] } },
        stopReason: 'end_turn',
        usage: { inputTokens: USAGE.prompt, outputTokens: USAGE.completion, totalTokens: TOTAL },
        metrics: { latencyMs: 1 },
      }),
    },
  ],
  [
    'ollama.models.svc:11434',
    {
      key: undefined,
      path: /^\/api\/chat$/,
      refusal: { status: 401, body: {} },
      answer: (asked) => ({
        ...{ model: asked.model, created_at: new Date(0).toISOString(), done: true, done_reason: 'stop' },
        message: { role: 'assistant', content: lastText(asked.messages) },
        prompt_eval_count: USAGE.prompt,
        eval_count: USAGE.completion,
      }),
    },
  ],
])

function chatCompletion(asked: Members): object {
  const message = { role: 'assistant', content: lastText(asked.messages) }
  return {
    ...{ id: `chatcmpl-${answers}`, object: 'chat.completion', created: 1, model: asked.model ?? 'gpt-4' },
    choices: [{ index: 0, finish_reason: 'stop', message }],
    usage: { prompt_tokens: USAGE.prompt, completion_tokens: USAGE.completion, total_tokens: TOTAL },
  }
}

/** Returns the text of the last message in any of these dialects. */
function lastText(messages: unknown): string {
  const last = Array.isArray(messages) ? messages.at(-1) : undefined
  const lastContent: unknown = last?.content ?? last?.parts
  return typeof lastContent === 'string' ? lastContent : String(Array.isArray(lastContent) ? lastContent[0]?.text : '')
}

function answerTo(request: IncomingMessage, body: string): Answer {
  const { host = '', ...headers } = request.headers
  const url = request.url ?? ''
  const api = APIS.get(host)
  if (api === undefined || request.method !== 'POST' || !api.path.test(url)) return { status: 404, body: { url, host } }
  const [header, prefix] = api.key ?? []
  if (header !== undefined && headers[header] !== `${prefix}${key}`) return api.refusal
  answers += 1
  const made = api.answer(JSON.parse(body), headers)
  if (made === undefined) return { status: 400, body: { error: 'something is missing' } }
  const keys = ['authorization', 'api-key', 'x-api-key', 'x-goog-api-key'].flatMap((name) => headers[name] ?? [])
  seen.push({ host, url, keys })
  if (seen.length > MOST) seen.shift()
  return { status: 200, body: made }
}

const listener: RequestListener = (request, response) => {
  const parts: Buffer[] = []
  request.on('data', (part: Buffer) => parts.push(part))
  request.on('end', () => {
    const { status, body } = answerTo(request, Buffer.concat(parts).toString())
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
}

// Longer than the gateway keeps a connection, so that its calls never meet a closing connection.
const options = { keepAliveTimeout: 120_000 }
const read = (file: string) => readFileSync(`${folder}/${file}`)
createTlsServer({ ...options, cert: read('tls.crt'), key: read('tls.key') }, listener).listen(PORTS.tls)
createServer(options, listener).listen(PORTS.vllm)
createServer(options, listener).listen(PORTS.ollama)
createServer((_, response) => response.end(JSON.stringify(seen))).listen(PORTS.seen)
