import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { KubeAccess } from './kube-access.ts'

/** Answers a call. The last act of a script answers all further calls. */
export type Act = (response: ServerResponse, request: IncomingMessage) => void

export type ScriptedServer = {
  /** `METHOD /path?query`, in order. */
  readonly calls: readonly string[]
  /** performance.now() of each call. */
  readonly times: readonly number[]
  /** Authorization header of each call. */
  readonly tokens: readonly (string | undefined)[]
  readonly connections: number
  readonly access: KubeAccess
  until(what: string, condition: () => boolean): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

const PATIENCE_MS = 60_000

/** Starts an API server that answers by a script, over real sockets. */
export async function startScriptedServer(
  script: readonly Act[],
  access: Partial<KubeAccess> = {},
): Promise<ScriptedServer> {
  const calls: string[] = []
  const times: number[] = []
  const tokens: (string | undefined)[] = []
  let connections = 0
  const server = createServer((request, response) => {
    const act = script[Math.min(calls.length, script.length - 1)]
    calls.push(`${request.method} ${request.url}`)
    times.push(performance.now())
    tokens.push(request.headers.authorization)
    request.resume()
    act?.(response, request)
  })
  server.on('connection', () => {
    connections += 1
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    calls,
    times,
    tokens,
    get connections() {
      return connections
    },
    access: {
      server: `http://127.0.0.1:${port}`,
      tls: {},
      authorization: async () => undefined,
      refused: () => undefined,
      ...access,
    },
    until: async (what, condition) => {
      const until = performance.now() + PATIENCE_MS
      while (!condition()) {
        if (performance.now() > until) throw new Error(`not within ${PATIENCE_MS} ms: ${what}; ${calls.join(' | ')}`)
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
    },
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

export function answer(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Act {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
  }
}

export function list(resourceVersion: string, names: readonly string[], more = ''): Act {
  const items = names.map((name) => object(name, resourceVersion))
  return answer(200, { items, metadata: { resourceVersion, continue: more } })
}

export function object(name: string, resourceVersion: string): object {
  return { metadata: { name, namespace: 'n', uid: name, resourceVersion } }
}

export type WatchEvent = readonly [type: string, object: object]

/**
 * Answers a watch with events and then stays open (`stay`), ends in order (`end`) or breaks off within a line (`cut`).
 */
export function watch(events: readonly WatchEvent[], then: 'stay' | 'end' | 'cut', afterMs = 0): Act {
  return (response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.flushHeaders()
    for (const [type, changed] of events) response.write(`${JSON.stringify({ type, object: changed })}\n`)
    if (then === 'stay') return
    setTimeout(() => {
      if (then === 'end') return response.end()
      response.write('{"type":"ADD', () => response.destroy())
    }, afterMs)
  }
}
