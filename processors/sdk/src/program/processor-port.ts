import http from 'node:http'
import { errorCode } from '@llm-gateway/conf/failure'
import type { Logger } from '../logger.ts'

export type ProcessorPortOptions = {
  /** Undefined: every address of the machine, since Kubernetes' probes use the pod's address. */
  readonly host: string | undefined
  readonly port: number
  readonly ready: () => boolean
  /** Returns the metrics in the Prometheus text format. */
  readonly metrics: () => Promise<string>
  /** Further routes, by path and query. */
  readonly routes?: ReadonlyMap<string, () => Promise<Reply>>
  readonly logger: Logger
}

export type ProcessorPort = { close(): Promise<void> }

const HEADERS_TIMEOUT_MS = 5_000
const REQUEST_TIMEOUT_MS = 10_000
/** The limit for a connection without traffic, such as a reader that doesn't take its answer. */
const SOCKET_TIMEOUT_MS = 30_000
const MOST_CONNECTIONS = 100
const CLOSE_TIMEOUT_MS = 1_000

/** Serves `/healthz`, `/readyz` and `/metrics`; undefined, with a WARN, when the port can't be opened. */
export async function openProcessorPort(options: ProcessorPortOptions): Promise<ProcessorPort | undefined> {
  const { host, port, logger } = options
  const limits = { headersTimeout: HEADERS_TIMEOUT_MS, requestTimeout: REQUEST_TIMEOUT_MS, maxHeaderSize: 8 * 1024 }
  const server = http.createServer({ ...limits, connectionsCheckingInterval: 1_000 }, listener(options))
  server.maxConnections = MOST_CONNECTIONS
  server.setTimeout(SOCKET_TIMEOUT_MS)
  const failure = await new Promise<Error | undefined>((resolve) => {
    server.once('error', resolve)
    server.listen({ port, ...(host === undefined ? {} : { host }) }, () => resolve(undefined))
  })
  if (failure !== undefined) {
    logger.warn({ port, code: errorCode(failure) }, 'processor port not available')
    return undefined
  }
  // Without a listener, a failed accept (no free descriptor, say) would end the process.
  server.on('error', (error) => logger.warn({ port, code: errorCode(error) }, 'processor port failed'))
  return { close: () => close(server) }
}

export type Reply = { readonly status: number; readonly type?: string; readonly text: string }

function listener({ ready, metrics, routes: more = new Map() }: ProcessorPortOptions): http.RequestListener {
  const routes: ReadonlyMap<string, () => Promise<Reply>> = new Map([
    ['/healthz', async () => ({ status: 200, text: 'ok\n' })],
    ['/readyz', async () => (ready() ? { status: 200, text: 'ready\n' } : { status: 503, text: 'not ready\n' })],
    [
      '/metrics',
      async () => ({ status: 200, type: 'text/plain; version=0.0.4; charset=utf-8', text: await metrics() }),
    ],
  ])
  return (request, response) => {
    const [path = '/'] = (request.url ?? '/').split('?', 1)
    const route = more.get(request.url ?? '/') ?? routes.get(path)
    if (route === undefined) return send(response, { status: 404, text: 'not found\n' })
    if (request.method !== 'GET') {
      response.setHeader('allow', 'GET')
      return send(response, { status: 405, text: 'method not allowed\n' })
    }
    // A failed answer ends with status 500 and doesn't reach the process.
    route().then(
      (reply) => send(response, reply),
      () => send(response, { status: 500, text: 'internal\n' }),
    )
  }
}

function send(response: http.ServerResponse, { status, type = 'text/plain; charset=utf-8', text }: Reply): void {
  response.writeHead(status, {
    'content-type': type,
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
  })
  response.end(text)
}

/** Ends idle connections at once; a scrape under way gets one more second. */
async function close(server: http.Server): Promise<void> {
  const cut = setTimeout(() => server.closeAllConnections(), CLOSE_TIMEOUT_MS)
  const { promise, resolve } = Promise.withResolvers<void>()
  server.close(() => resolve())
  server.closeIdleConnections()
  await promise
  clearTimeout(cut)
}
