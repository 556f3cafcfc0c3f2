import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { createServer as createHttpsServer, Server as HttpsServer } from 'node:https'
import Fastify from 'fastify'
import type { Call } from '../transaction/transaction.ts'
import type { Held } from './accept-first.ts'
import { createAcceptors, listenWithAll } from './acceptors.ts'
import { ServerCall } from './call.ts'
import { answerClientErrors, type ClientErrorOptions, refuseOtherProtocols } from './client-errors.ts'
import { CONNECTION_BYTES } from './connection-bound.ts'
import type { FirstHead } from './first-head.ts'
import { trackInboundConnections } from './inbound-connections.ts'
import { nodeHttp } from './node-http.ts'

export type Certificate = { readonly cert: string; readonly key: string }

export type ServerOptions = {
  /** 0 picks a free port. */
  readonly port: number
  readonly headerBytes: number
  /** Above this number, connections without a call are ended. */
  readonly mostConnections: number
  readonly headersTimeoutMs: number
  readonly keepAliveTimeoutMs: number
  /** undefined means plain HTTP. */
  readonly certificate: Certificate | undefined
  readonly transact: (call: Call) => Promise<void>
  /** Returns the path of the router that admits a request with this head; empty where none does. */
  readonly routerOf: (head: FirstHead) => string
  /** Work of calls whose bound for a turn is lower while new connections are accepted. */
  readonly held: readonly Held[]
  /** Answers input that never becomes a request: malformed HTTP, CONNECT. */
  readonly clientErrors: ClientErrorOptions
}

export type GatewayServer = {
  readonly port: number
  /** The number of running transactions, including those that still write their records. */
  readonly inflight: number
  /** Makes all further answers close their connections. */
  startDraining(): void
  /**
   * Stops listening, waits at most `timeoutMs` for running calls, then cuts them. `endWaits` is called where calls are
   * still unfinished some seconds later: it ends what they wait for.
   */
  close(timeoutMs: number, endWaits: () => Promise<void>): Promise<void>
  /** Sets the certificate of new connections. */
  replaceCertificate(certificate: Certificate): void
}

/** The time in milliseconds for async rows and records of calls that were answered or cut. */
const lastTransactionsMs = 4_000
/** The same after `endWaits`: all that is left is to make the records. */
const endedTransactionsMs = 1_000
/**
 * The bytes that a call counts for its connections to the caller and to the LLM API: half of what they take, since the
 * bound of the process is twice that of the account.
 */
const CALL_BYTES = { plain: 20 * 1024, tls: 46 * 1024 } as const
/** Each check tells all heads that became late since the one before in one task, some microseconds for each. */
const LATE_HEADS_CHECK_MS = 100
const LONGEST_TIMER_MS = 2 ** 31 - 1
/** The time for which node keeps an idle connection beyond its timeout, for a request that is on its way. */
const KEEP_ALIVE_BUFFER_MS = 1_000

/**
 * Starts the ingress server with one catch-all Fastify route; the transaction reads the body and writes the answer.
 * Paths are matched on raw bytes (docs/reference/http.md#paths), so that Fastify must not decode, merge or refuse them:
 * its router sees every request as `/`.
 */
export async function startServer(options: ServerOptions): Promise<GatewayServer> {
  let draining = false
  const running = new RunningCalls()
  const isDraining = (): boolean => draining
  const http = createNodeServer(options)
  const acceptors = createAcceptors(http)
  const connectionLimits = {
    bytes: CONNECTION_BYTES,
    count: options.mostConnections,
    headBytes: options.headerBytes,
  }
  const connectionBytes = options.certificate === undefined ? CALL_BYTES.plain : CALL_BYTES.tls
  const { held, routerOf } = options
  const connections = trackInboundConnections(http, { connectionLimits }, { acceptors, held, routerOf })
  answerClientErrors(http, connections, options.clientErrors)
  const fastify = Fastify({
    logger: false,
    serverFactory: (handler) =>
      http.on('request', refuseOtherProtocols(http, connections, connections.oneByOne(handler))),
    rewriteUrl: () => '/',
    // Errors are answered by answerClientErrors; Fastify's handler would write into running answers.
    clientErrorHandler: () => undefined,
  })
  for (const method of nodeHttp.METHODS) {
    if (method !== 'CONNECT' && !fastify.supportedMethods.includes(method)) fastify.addHttpMethod(method)
  }
  fastify.route({
    method: [...fastify.supportedMethods],
    url: '/',
    // Runs before Fastify reads a body, which the transaction does with its own limits and errors.
    onRequest(request, reply) {
      reply.hijack()
      serve(request.originalUrl, request.raw, reply.raw)
    },
    handler: () => undefined,
  })
  await fastify.ready()
  const port = await listenWithAll(acceptors, options.port)

  function serve(target: string, request: IncomingMessage, response: ServerResponse): void {
    const connection = connections.of(request.socket)
    if (connection.closes) return
    const call = new ServerCall(request, response, { target, connection, connectionBytes, draining: isDraining })
    running.track(options.transact(call))
  }

  return {
    port,
    get inflight() {
      return running.count
    },
    startDraining() {
      draining = true
    },
    async close(timeoutMs, endWaits) {
      draining = true
      await connections.drain(timeoutMs)
      connections.destroy()
      // Answered or cut calls still write their records.
      await running.whenAllEnded(lastTransactionsMs)
      if (running.count > 0) {
        await endWaits()
        await running.whenAllEnded(endedTransactionsMs)
      }
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
    // Bodies have their own idle limit, and long calls have no total limit.
    requestTimeout: 0,
    // Node's timer is longer by the buffer: a longer timer than the longest would print a warning for each answer.
    keepAliveTimeout: Math.min(options.keepAliveTimeoutMs, LONGEST_TIMER_MS - KEEP_ALIVE_BUFFER_MS),
    keepAliveTimeoutBuffer: KEEP_ALIVE_BUFFER_MS,
    connectionsCheckingInterval: Math.min(LATE_HEADS_CHECK_MS, options.headersTimeoutMs),
    noDelay: true,
    // node's own 400 lacks the session header and our body, so that the transaction refuses instead.
    requireHostHeader: false,
  }
  const server =
    options.certificate === undefined
      ? nodeHttp.createServer(settings)
      : createHttpsServer({ ...settings, ...options.certificate, handshakeTimeout: options.headersTimeoutMs })
  // `header_bytes` is the limit; node's default would silently drop headers beyond its count.
  server.maxHeadersCount = 0
  return server
}

/** Counts running calls; a Set of them would retain ended calls (see InboundConnection). */
class RunningCalls {
  #count = 0
  #onAllEnded: (() => void) | undefined

  get count(): number {
    return this.#count
  }

  /** Counts a transaction until it ends; the promise never rejects. */
  track(transaction: Promise<void>): void {
    this.#count += 1
    // `#end` doesn't throw.
    void transaction.then(this.#end)
  }

  readonly #end = (): void => {
    this.#count -= 1
    if (this.#count === 0) this.#onAllEnded?.()
  }

  /** Resolves once no call runs, or after `timeoutMs`. */
  async whenAllEnded(timeoutMs: number): Promise<void> {
    if (this.#count === 0) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#onAllEnded = resolve
    const timer = setTimeout(resolve, timeoutMs)
    await promise
    clearTimeout(timer)
  }
}
