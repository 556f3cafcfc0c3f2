import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { completion, completionEvents, MODEL } from './completion.ts'
import { demoAnswer, fieldOf } from './demo-answer.ts'

export type DemoLlm = { /** `http://<host>:<port>` */ readonly url: string; close(): Promise<void> }

const BODY_BYTES = 33_554_432
const REQUEST_TIMEOUT_MS = 60_000
const WORD_PAUSE_MS = 20

/**
 * Starts an OpenAI-compatible LLM API without a model. Paths that end in /chat/completions answer chat requests; paths
 * that end in /models list the one model.
 */
export async function startDemoLlm(port = 0, host = '127.0.0.1'): Promise<DemoLlm> {
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS }, (request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  server.listen(port, host)
  await once(server, 'listening')
  const address = server.address()
  const bound = typeof address === 'object' && address !== null ? address.port : port
  return {
    url: `http://${host}:${bound}`,
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = (request.url ?? '').split('?', 1)[0] ?? ''
  if (request.method === 'GET' && path.endsWith('/models')) {
    return sendJson(response, 200, {
      object: 'list',
      data: [{ id: MODEL, object: 'model', created: 0, owned_by: MODEL }],
    })
  }
  if (request.method !== 'POST' || !path.endsWith('/chat/completions')) {
    return sendError(response, 404, 'The demo LLM answers POST …/chat/completions and GET …/models.')
  }
  const body = await readBody(request)
  if (body === undefined) return sendError(response, 413, `The demo LLM reads at most ${BODY_BYTES} bytes.`)
  const parsed = parseJson(body)
  if (!Array.isArray(fieldOf(parsed, 'messages')))
    return sendError(response, 400, 'The body is no chat request: `messages` is missing.')

  const identity = { id: `chatcmpl-demo-${randomUUID()}`, created: Math.floor(Date.now() / 1000) }
  if (fieldOf(parsed, 'stream') !== true) return sendJson(response, 200, completion(identity, demoAnswer(parsed)))
  response.writeHead(200, { 'Content-Type': 'text/event-stream; charset=utf-8', 'Cache-Control': 'no-cache' })
  for (const event of completionEvents(identity, demoAnswer(parsed), parsed)) {
    if (response.destroyed) return
    response.write(event)
    await delay(WORD_PAUSE_MS)
  }
  response.end()
}

/**
 * Reads a body; undefined if it is too large. A large body is read to its end too, so that the caller reads the answer.
 */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += chunk.length
    if (bytes <= BODY_BYTES) chunks.push(chunk)
  }
  return bytes <= BODY_BYTES ? Buffer.concat(chunks) : undefined
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function sendError(response: ServerResponse, status: number, message: string): void {
  sendJson(response, status, { error: { message, type: 'invalid_request_error', code: null } })
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  const text = JSON.stringify(body)
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) })
  response.end(text)
}
