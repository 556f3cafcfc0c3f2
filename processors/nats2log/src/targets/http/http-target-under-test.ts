import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { TestContext } from 'node:test'
import { listenUntilEnd } from '@llm-gateway/test/fake/listen'

export type SeenRequest = {
  readonly method: string
  /** Path and query. */
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

export type TargetAnswer = {
  /** 0 breaks the connection. */
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** Starts a server that notes its requests and answers by a rule; it ends with the test. */
export async function startTarget(
  t: TestContext,
  rule: (request: SeenRequest, index: number) => TargetAnswer,
  tls?: { readonly key: Buffer; readonly cert: Buffer },
): Promise<{ readonly url: string; readonly seen: readonly SeenRequest[] }> {
  const seen: SeenRequest[] = []
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = Buffer.concat(await request.toArray())
    const noted = { method: request.method ?? '', url: request.url ?? '', headers: request.headers, body }
    const answer = rule(noted, seen.push(noted) - 1)
    if (answer.status === 0) request.socket.destroy()
    else response.writeHead(answer.status, answer.headers).end(answer.body)
  }
  const server = tls === undefined ? createServer(take) : createTlsServer(tls, take)
  const port = await listenUntilEnd(t, server)
  return { url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`, seen }
}
