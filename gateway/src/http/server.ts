import {
  createServer as createHttpServer,
  type IncomingMessage,
  METHODS,
  type Server,
  type ServerResponse,
} from 'node:http'
import { createServer as createHttpsServer, Server as HttpsServer } from 'node:https'
import Fastify from 'fastify'
import type { Call } from '../transaction/transaction.ts'
import { ServerCall } from './call.ts'
import { trackInboundConnections } from './inbound-connections.ts'
import { answerBelowRequests, type PortAnswer } from './port-answer.ts'

export type Certificate = { readonly cert: string; readonly key: string }

export type ServerOptions = {
  /** 0 picks a free one. */
  readonly port: number
  readonly headerBytes: number
  readonly headersTimeoutMs: number
  readonly keepAliveTimeoutMs: number
  /** undefined: plain HTTP. */
  readonly certificate: Certificate | undefined
  readonly transact: (call: Call) => Promise<void>
  /** For what never becomes a request: malformed HTTP, CONNECT. */
  readonly portAnswer: PortAnswer
}

export type GatewayServer = {
  readonly port: number
  /** Transactions under way, their records included. */
  readonly inflight: number
  /** Answers close their connections from now on. */
  startDraining(): void
  /** Stops listening and waits for what runs, at most `timeoutMs`; then cuts it. */
  close(timeoutMs: number): Promise<void>
  /** For new connections. */
  replaceCertificate(certificate: Certificate): void
}

/** Async rows and records of calls that were answered or cut get this long. */
const lastTransactionsMs = 5_000

/**
 * Listens with one catch-all Fastify route; the transaction reads the body and writes the answer itself. Fastify must
 * not decode, merge or refuse a path, because paths are matched on raw bytes (docs/reference/http.md#paths): its router
 * sees every request as `/`.
 */
export async function startServer(options: ServerOptions): Promise<GatewayServer> {
  let draining = false
  const running = new RunningCalls()
  const isDraining = (): boolean => draining
  const http = createNodeServer(options)
  const connections = trackInboundConnections(http)
  answerBelowRequests(http, connections, options.portAnswer)
  const fastify = Fastify({
    logger: false,
    serverFactory: (handler) => http.on('request', connections.inTurn(handler)),
    rewriteUrl: () => '/',
    // answerBelowRequests does: Fastify's own would write into answers that are under way.
    clientErrorHandler: () => undefined,
  })
  for (const method of METHODS) {
    if (method !== 'CONNECT' && !fastify.supportedMethods.includes(method)) fastify.addHttpMethod(method)
  }
  fastify.route({
    method: [...fastify.supportedMethods],
    url: '/',
    // Before Fastify reads a body: that is the transaction's, with its own limits and errors.
    onRequest(request, reply) {
      reply.hijack()
      serve(request.originalUrl, request.raw, reply.raw)
    },
    handler: () => undefined,
  })
  await fastify.ready()
  const port = await listen(http, options.port)

  function serve(target: string, request: IncomingMessage, response: ServerResponse): void {
    const connection = connections.of(request.socket)
    if (connection.closes) return
    const call = new ServerCall(request, response, { target, connection, draining: isDraining })
    running.follow(options.transact(call))
  }

  return {
    port,
    get inflight() {
      return running.count
    },
    startDraining() {
      draining = true
    },
    async close(timeoutMs) {
      draining = true
      await connections.drain(timeoutMs)
      connections.destroy()
      // Calls that were answered or cut have their records to write.
      await running.ended(lastTransactionsMs)
      await fastify.close()
    },
    replaceCertificate(certificate) {
      if (http instanceof HttpsServer) http.setSecureContext(certificate)
    },
  }
}

function createNodeServer(options: ServerOptions): Server | HttpsServer {
  const settings = {
    maxHeaderSize: options.headerBytes,
    headersTimeout: options.headersTimeoutMs,
    // Bodies have an idle limit of their own, and long calls no total one.
    requestTimeout: 0,
    keepAliveTimeout: options.keepAliveTimeoutMs,
    connectionsCheckingInterval: Math.min(1000, options.headersTimeoutMs),
    noDelay: true,
    // node's own 400 would lack the session header and our body: the transaction refuses instead.
    requireHostHeader: false,
  }
  const server =
    options.certificate === undefined
      ? createHttpServer(settings)
      : createHttpsServer({ ...settings, ...options.certificate, handshakeTimeout: options.headersTimeoutMs })
  // header_bytes is the limit; beyond node's count headers would vanish silently.
  server.maxHeadersCount = 0
  return server
}

function listen(server: Server | HttpsServer, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, () => {
      server.off('error', reject)
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : port)
    })
  })
}

/** Calls under way, counted: a Set of them would keep them beyond their end (see InboundConnection). */
class RunningCalls {
  #count = 0
  #noneLeft: (() => void) | undefined

  get count(): number {
    return this.#count
  }

  /** `transaction` never rejects. */
  follow(transaction: Promise<void>): void {
    this.#count += 1
    // Nothing fails in #end.
    void transaction.then(this.#end)
  }

  readonly #end = (): void => {
    this.#count -= 1
    if (this.#count === 0) this.#noneLeft?.()
  }

  /** Resolves once there are none, or after `timeoutMs`. */
  async ended(timeoutMs: number): Promise<void> {
    if (this.#count === 0) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#noneLeft = resolve
    const timer = setTimeout(resolve, timeoutMs)
    await promise
    clearTimeout(timer)
  }
}
