import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** An LLM API that notes the serials of calls and keeps no bodies. */
export type LedgerLlm = {
  readonly url: string
  /** Serials of the calls that arrived completely. */
  readonly made: ReadonlySet<number>
  [Symbol.asyncDispose](): Promise<void>
}

const HEAD_BYTES = 64
const WORDS = ['one ', 'two ', 'three ', 'four ', 'five ', 'six ', 'seven ', 'eight ', 'nine ', 'ten'] as const

export async function startLedgerLlm(): Promise<LedgerLlm> {
  const made = new Set<number>()
  const server = createServer((request, response) => {
    let head = ''
    request.on('data', (chunk: Buffer) => {
      if (head.length < HEAD_BYTES) head += chunk.toString('latin1', 0, HEAD_BYTES)
    })
    request.on('end', () => {
      made.add(Number(/^\{"serial":(\d+)/.exec(head)?.[1]))
      answer(request, response, head.includes('"stream":true'))
    })
  })
  server.on('connection', (socket) => socket.on('error', () => socket.destroy()))
  server.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = Object(server.address()) satisfies Partial<AddressInfo>
  return {
    url: `http://127.0.0.1:${port}`,
    made,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function answer({ url }: IncomingMessage, response: ServerResponse, isStream: boolean): void {
  const head = { id: 'chatcmpl-ledger', model: 'ledger', path: url }
  if (!isStream) {
    const message = { role: 'assistant', content: WORDS.join('') }
    const usage = { prompt_tokens: 3, completion_tokens: 10, total_tokens: 13 }
    response.setHeader('Content-Type', 'application/json')
    response.end(
      JSON.stringify({
        ...head,
        object: 'chat.completion',
        choices: [{ index: 0, message, finish_reason: 'stop' }],
        usage,
      }),
    )
    return
  }
  response.setHeader('Content-Type', 'text/event-stream')
  for (const content of WORDS) {
    const choices = [{ index: 0, delta: { content }, finish_reason: null }]
    response.write(`data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', choices })}\n\n`)
  }
  response.end('data: [DONE]\n\n')
}
