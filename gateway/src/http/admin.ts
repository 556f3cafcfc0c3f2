import { once } from 'node:events'
import type { RequestListener, Server, ServerResponse } from 'node:http'
import { errorCode } from '@llm-gateway/conf/failure'
import { WorkQueue } from '../work/work-queue.ts'
import { type AdminConnections, trackAdminConnections } from './admin-connections.ts'
import { BACKLOG } from './backlog.ts'
import { nodeHttp } from './node-http.ts'
import { SharedAnswer } from './shared-answer.ts'
import { type Status, statusPieces, statusText } from './status.ts'

export type AdminOptions = {
  readonly host: string
  /** Undefined or 0 turns the port off. */
  readonly port: number | undefined
  /** The port for callers. The admin port opens before it and must leave it free. */
  readonly callersPort?: number
  /** Returns the Prometheus text in pieces. */
  readonly metrics: () => Promise<readonly Buffer[]>
  readonly ready: () => boolean
  readonly status: () => Status
  /** The process's queue, which slices scrapes and a status of many entries. */
  readonly work?: WorkQueue
  /** Returns router path -> hash of the router's entry: the same map until the configuration changes. */
  readonly entries: () => ReadonlyMap<string, string>
  readonly logger: { warn(fields: object, msg: string): void }
}

export type Admin = { readonly port: number | undefined; close(): Promise<void> }

/** The time for a request's head: probes and scrapes send it at once. */
const HEADERS_TIMEOUT_MS = 1_000
const REQUEST_TIMEOUT_MS = 5_000
const CLOSE_TIMEOUT_MS = 1_000
/** URLSearchParams would take 0.25 ms for a query of 8 KB, and hundreds may arrive in one turn of the event loop. */
const ENTRIES = /(?:^|&)entries=1(?:&|$)/

/**
 * Serves `/metrics`, `/healthz`, `/readyz` and `/status` until it is closed
 * (docs/reference/configuration-rules.md#status).
 *
 * Where the port is taken, or the host is unusable, the gateway logs a WARN and runs without it.
 */
export async function startAdmin(options: AdminOptions): Promise<Admin> {
  const off: Admin = { port: undefined, close: async () => undefined }
  if (options.port === undefined || options.port === 0) return off
  return (await listen(options.host, options.port, options)) ?? off
}

async function listen(host: string, port: number, options: AdminOptions): Promise<Admin | undefined> {
  const server = nodeHttp.createServer({
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionsCheckingInterval: 250,
    maxHeaderSize: 8 * 1024,
  })
  server.on('request', createHandler(options, trackAdminConnections(server)))
  const code = port === options.callersPort ? 'EADDRINUSE' : await listenAt(server, host, port)
  if (code === undefined) return { port, close: () => close(server) }
  options.logger.warn({ admin_host: host, admin_port: port, code }, 'admin port not available')
  return undefined
}

/** Resolves with the code of a failure. */
async function listenAt(server: Server, host: string, port: number): Promise<string | undefined> {
  try {
    // A host with a NUL throws here.
    const listening = once(server, 'listening')
    server.listen({ port, host, backlog: BACKLOG })
    await listening
    // A connection that the system can't accept would end the process without a listener.
    server.on('error', () => undefined)
    return undefined
  } catch (error) {
    return errorCode(error)
  }
}

type Answer = { readonly status: number; readonly type?: string; readonly text: string | readonly Buffer[] }

type Route = (response: ServerResponse, query: string) => void

const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'
const JSON_TYPE = 'application/json'
/** A failed answer is a 500 for its request and doesn't end the process. */
const FAILURE: Answer = { status: 500, text: 'internal\n' }

function createHandler(options: AdminOptions, connections: AdminConnections): RequestListener {
  const send = (response: ServerResponse, answer: Answer) => {
    if (!isGone(response)) connections.end(response, begin(response, answer))
  }
  const routes = createRoutes(options, send)
  return (request, response) => {
    if (!connections.add(request, response)) return
    const { path, query } = targetOf(request.url ?? '/')
    const route = routes.get(path)
    if (route === undefined) return send(response, { status: 404, text: 'not found\n' })
    if (request.method === 'GET') return route(response, query)
    response.setHeader('allow', 'GET')
    send(response, { status: 405, text: 'method not allowed\n' })
  }
}

function createRoutes(
  options: AdminOptions,
  send: (response: ServerResponse, answer: Answer) => void,
): ReadonlyMap<string, Route> {
  const { metrics, ready, status, entries, work = new WorkQueue() } = options
  const parts = { send, isGone, work }
  const scrape = new SharedAnswer({
    ...parts,
    state: () => undefined,
    render: () => answerOf(METRICS_TYPE, metrics),
  })
  const statusWithEntries = new SharedAnswer({
    ...parts,
    state: entries,
    render: () => answerOf(JSON_TYPE, () => statusPieces(status(), entries(), work)),
  })
  const shortStatus = new SharedAnswer({
    ...parts,
    state: entries,
    render: () => answerOf(JSON_TYPE, async () => statusText(status())),
  })
  const isReady = (): Answer => (ready() ? { status: 200, text: 'ready\n' } : { status: 503, text: 'not ready\n' })
  return new Map<string, Route>([
    ['/metrics', (response) => scrape.add(response)],
    ['/healthz', (response) => send(response, { status: 200, text: 'ok\n' })],
    ['/readyz', (response) => send(response, isReady())],
    ['/status', (response, query) => (ENTRIES.test(query) ? statusWithEntries : shortStatus).add(response)],
  ])
}

async function answerOf(type: string, render: () => Promise<Answer['text']>): Promise<Answer> {
  try {
    return { status: 200, type, text: await render() }
  } catch {
    return FAILURE
  }
}

/** Returns true once the connection of a response is closed; the response itself notices it a moment later. */
function isGone({ req: { socket } }: ServerResponse): boolean {
  return socket.destroyed
}

function targetOf(url: string): { readonly path: string; readonly query: string } {
  const mark = url.indexOf('?')
  return mark < 0 ? { path: url, query: '' } : { path: url.slice(0, mark), query: url.slice(mark + 1) }
}

/** Writes the head and returns the body's pieces, which aren't copied. */
function begin(response: ServerResponse, answer: Answer): readonly Buffer[] {
  const { status, type = 'text/plain; charset=utf-8', text } = answer
  const pieces = typeof text === 'string' ? [Buffer.from(text)] : text
  response.writeHead(status, {
    'content-type': type,
    'content-length': pieces.reduce((sum, piece) => sum + piece.length, 0),
    'cache-control': 'no-store',
  })
  return pieces
}

/** Closes idle connections at once and cuts running scrapes after one second. */
function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), CLOSE_TIMEOUT_MS)
    server.close(() => {
      clearTimeout(cut)
      resolve()
    })
    server.closeIdleConnections()
  })
}
