import { STATUS_CODES } from 'node:http'
import { createServer, type Server, type Socket } from 'node:net'
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
  readonly routes?: Routes
  readonly logger: Logger
}

export type ProcessorPort = { close(): Promise<void> }
export type Reply = { readonly status: number; readonly type?: string; readonly text: string }

type Route = () => Promise<Reply>
type Routes = ReadonlyMap<string, Route>

const HEAD_BYTES = 8 * 1024
/** The limit for the head of a request. */
const HEAD_TIMEOUT_MS = 5_000
/** The limit for a connection without traffic, such as a reader that doesn't take its answer. */
const SOCKET_TIMEOUT_MS = 30_000
/** Beyond it the oldest connection is cut: a new one may be the kubelet's, which ends a program that doesn't answer. */
const MOST_CONNECTIONS = 100
const CLOSE_TIMEOUT_MS = 1_000
const HEAD_END = '\r\n\r\n'
const REQUEST_LINE = /^([A-Z]+) (\S+) HTTP\/1\.[01]\r\n/
const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/**
 * Serves `/healthz`, `/readyz` and `/metrics`; undefined, with a WARN, when the port can't be opened. A connection has
 * one request: node's HTTP server would handle the two thousand of a pipelined 64 KiB in one turn of the event loop, and
 * those of each other connection in the same turn.
 */
export async function openProcessorPort(options: ProcessorPortOptions): Promise<ProcessorPort | undefined> {
  const { host, port, logger } = options
  const routes = sharedRoutes(options)
  const connections = new Set<Connection>()
  const server = createServer((socket) => {
    const connection = new Connection(socket, routes)
    connections.add(connection)
    socket.once('close', () => connections.delete(connection))
    const [oldest] = connections
    if (connections.size > MOST_CONNECTIONS) oldest?.cut()
  })
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
  return { close: () => close(server, connections) }
}

/** Makes the routes. Requests for a route at one moment share one answer. */
function sharedRoutes({ ready, metrics, routes: more = new Map() }: ProcessorPortOptions): Routes {
  const own: readonly (readonly [string, Route])[] = [
    ['/healthz', async () => ({ status: 200, text: 'ok\n' })],
    ['/readyz', async () => (ready() ? { status: 200, text: 'ready\n' } : { status: 503, text: 'not ready\n' })],
    ['/metrics', async () => ({ status: 200, type: METRICS_TYPE, text: await metrics() })],
  ]
  return new Map([...own, ...more].map(([path, route]) => [path, shared(route)]))
}

function shared(route: Route): Route {
  let asked: Promise<Reply> | undefined
  return () => {
    asked ??= route().finally(() => {
      asked = undefined
    })
    return asked
  }
}

/** A connection, which ends with the answer to its request. */
class Connection {
  readonly #socket: Socket
  readonly #routes: Routes
  readonly #late: NodeJS.Timeout
  readonly #take = (piece: Buffer): void => this.#read(piece)
  #head = ''

  constructor(socket: Socket, routes: Routes) {
    this.#socket = socket
    this.#routes = routes
    this.#late = setTimeout(() => this.cut(), HEAD_TIMEOUT_MS)
    socket.on('data', this.#take)
    // A connection that was reset closes by itself.
    socket.on('error', () => undefined)
    socket.on('close', () => clearTimeout(this.#late))
    socket.setTimeout(SOCKET_TIMEOUT_MS, () => this.cut())
  }

  /** True until the request has arrived. */
  get isIdle(): boolean {
    return this.#socket.listenerCount('data') > 0
  }

  cut(): void {
    this.#socket.destroy()
  }

  #read(piece: Buffer): void {
    const searched = Math.max(0, this.#head.length - HEAD_END.length)
    this.#head += piece.toString('latin1', 0, HEAD_BYTES - this.#head.length)
    const isWhole = this.#head.indexOf(HEAD_END, searched) >= 0
    if (!isWhole && this.#head.length < HEAD_BYTES) return
    this.#socket.off('data', this.#take)
    this.#socket.pause()
    clearTimeout(this.#late)
    void this.#answer(isWhole) // never rejects
  }

  async #answer(isWhole: boolean): Promise<void> {
    const [, method = '', target = ''] = REQUEST_LINE.exec(this.#head) ?? []
    if (!isWhole) return this.#send({ status: 431, text: 'head too large\n' })
    if (method === '') return this.#send({ status: 400, text: 'not a request\n' })
    const route = this.#routes.get(target) ?? this.#routes.get(target.split('?', 1)[0] ?? '')
    if (route === undefined) return this.#send({ status: 404, text: 'not found\n' })
    if (method !== 'GET') return this.#send({ status: 405, text: 'method not allowed\n' })
    this.#send(await route().catch(() => ({ status: 500, text: 'internal\n' })))
  }

  #send({ status, type = 'text/plain; charset=utf-8', text }: Reply): void {
    const lines = [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      `content-type: ${type}`,
      `content-length: ${Buffer.byteLength(text)}`,
      'cache-control: no-store',
      'connection: close',
      ...(status === 405 ? ['allow: GET'] : []),
    ]
    // Bytes behind the request stay unread.
    this.#socket.end(`${lines.join('\r\n')}${HEAD_END}${text}`, () => this.cut())
  }
}

/** Ends idle connections at once; a scrape under way gets one more second. */
async function close(server: Server, connections: ReadonlySet<Connection>): Promise<void> {
  const cutAll = setTimeout(() => {
    for (const connection of connections) connection.cut()
  }, CLOSE_TIMEOUT_MS)
  const { promise, resolve } = Promise.withResolvers<void>()
  server.close(() => resolve())
  for (const connection of connections) if (connection.isIdle) connection.cut()
  await promise
  clearTimeout(cutAll)
}
