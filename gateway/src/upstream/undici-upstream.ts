import { setImmediate as nextTurn } from 'node:timers/promises'
import type { buildConnector as BuildConnector, Client as ClientOptions, Dispatcher, Pool as PoolOptions } from 'undici'
import buildConnector from 'undici/lib/core/connect.js'
import symbols from 'undici/lib/core/symbols.js'
import Agent from 'undici/lib/dispatcher/agent.js'
import Client from 'undici/lib/dispatcher/client.js'
import Pool from 'undici/lib/dispatcher/pool.js'
import poolBase from 'undici/lib/dispatcher/pool-base.js'
import { isLongConnection } from '../http/headers.ts'
import type { CallMemory } from '../memory/memory-account.ts'
import { areManyLines, brokenHead, isOverloaded } from './answer-fields.ts'
import { BodyLeases } from './body-leases.ts'
import { ConnectionAttempt, type Opened } from './connection-attempt.ts'
import { type DenyList, deniedError } from './deny-list.ts'
import { errorOfFresh } from './fresh-connection.ts'
import { type BodySource, InboundBody } from './inbound-body.ts'
import { type ConnectionReceiver, type OutboundConnection, OutboundConnections } from './outbound-connection.ts'
import { paceHandshakes } from './outbound-handshakes.ts'
import { trustOf } from './outbound-trust.ts'
import { OwnEnds } from './own-ends.ts'
import { needsTunnel, proxiedRequest } from './proxied-request.ts'
import type { ProxyChoice } from './proxy-choice.ts'
import { sharedLookup } from './shared-lookup.ts'
import { openTunnel } from './tunnel.ts'
import { flatHeaders, type IncomingHeaders, inboundHeaders } from './undici-headers.ts'
import type { CancelSignal, Upstream, UpstreamAnswer, UpstreamRequest } from './upstream.ts'
import { upstreamCode } from './upstream-code.ts'

type Controller = Dispatcher.DispatchController

/**
 * The most milliseconds that an idle connection is kept where its LLM API asks for more than undici's 4 s. Idle
 * connections take open files from the connections of callers.
 */
const KEPT_MS = 60_000
/** A pool with more clients than this retires the client of each connection that ends. */
const KEPT_CLIENTS = 64
/** The clients of a pool that are closed in one turn of the event loop. */
const CLOSED_TOGETHER = 64

export type UpstreamOptions = {
  readonly connectTimeoutMs: number
  readonly maxHeaderBytes: number
  readonly tls: { readonly rejectUnauthorized: boolean; readonly ca: readonly string[] }
  readonly deny: DenyList | undefined
  readonly proxyFor: ProxyChoice | undefined
}

/**
 * Creates an upstream on undici's dispatch, which needs no stream objects per call. Connections are kept per origin, as
 * many as concurrent calls need, and closed after 4 s idle, or up to 60 s if the peer suggests it.
 */
export function createUndiciUpstream(options: UpstreamOptions): Upstream {
  const bodyLeases = new BodyLeases()
  const connections = new OutboundConnections({
    parserKey: symbols.kParser,
    maxHeaderBytes: options.maxHeaderBytes,
  })
  const dispatcher = createDispatcher(options, bodyLeases, connections)
  return {
    send: (request, signal) => {
      if (request.body !== undefined && request.memory !== undefined) bodyLeases.expect(request.body, request.memory)
      return new Promise((resolve) => {
        const exchange = new Exchange(connections, request.account, signal, resolve)
        exchange.send(dispatcher, proxiedRequest(request, options))
      })
    },
    close: () => dispatcher.close(),
  }
}

/** A call and its answer, as undici reports them. Exchange is a class for the reason given at CallerSignal. */
class Exchange implements Dispatcher.DispatchHandler, BodySource, ConnectionReceiver {
  readonly #connections: OutboundConnections
  readonly account: CallMemory
  readonly #signal: CancelSignal
  readonly #resolve: (answer: UpstreamAnswer) => void
  #controller: Controller | undefined
  #client: ConnectionClient | undefined
  #connection: OutboundConnection | undefined
  #bodyBytes = 0
  #body: InboundBody | undefined
  #endsWithConnection = false
  #isOver = false
  /** The announced bytes of the body that haven't arrived yet; undefined without a Content-Length. */
  #missingBytes: number | undefined

  constructor(
    connections: OutboundConnections,
    account: CallMemory,
    signal: CancelSignal,
    resolve: (answer: UpstreamAnswer) => void,
  ) {
    this.#connections = connections
    this.account = account
    this.#signal = signal
    this.#resolve = resolve
  }

  send(dispatcher: Dispatcher, request: UpstreamRequest): void {
    this.#bodyBytes = request.body?.length ?? 0
    this.#signal.onCancel(() => this.cancel())
    if (this.#signal.cancelled) return
    dispatcher.dispatch(
      {
        origin: request.origin,
        path: request.path,
        method: request.method as Dispatcher.HttpMethod,
        headers: flatHeaders(request.headers),
        body: request.body ?? null,
        headersTimeout: request.headersTimeoutMs,
        bodyTimeout: request.silenceTimeoutMs,
      },
      this,
    )
  }

  cancel(): void {
    if (this.#controller !== undefined) {
      this.#controller.abort(new Error('caller gone'))
      return
    }
    this.#resolve({ kind: 'failed', code: 'UPSTREAM_RESET' })
    this.#client?.cancelAttempt()
  }

  /** Notes the client whose next request is this call's. */
  takeClient(client: ConnectionClient): void {
    this.#client = client
  }

  onRequestStart(started: Controller): void {
    this.#controller = started
    if (this.#signal.cancelled) started.abort(new Error('caller gone'))
    else this.#connections.expectWrite(this)
  }

  takeConnection(connection: OutboundConnection): void {
    this.#connection = connection
  }

  onResponseStart(controller: Controller, status: number, headers: IncomingHeaders): void {
    // 1xx answers are handled by the connection.
    if (status < 200) return
    const coding = headers['transfer-encoding']
    if (coding !== undefined && !isChunked(coding)) {
      controller.abort(brokenHead('unknown transfer coding'))
      return
    }
    if (isLongConnection(headers.connection ?? '')) {
      controller.abort(brokenHead('long Connection'))
      return
    }
    if (areManyLines(controller.rawHeaders)) {
      controller.abort(brokenHead('too many lines'))
      return
    }
    // undici's controller would keep the lines for as long as the answer lasts.
    controller.rawHeaders = null
    this.#connection?.noteAnswer(status, this.#bodyBytes)
    this.#body = new InboundBody(this)
    const length = headers['content-length']
    // A server that refuses a request early closes its connection with unread bytes, which resets the connection: the
    // answer may be whole all the same.
    this.#endsWithConnection = status < 400 && coding === undefined && length === undefined
    if (length !== undefined) this.#missingBytes = Number(length)
    this.#resolve({ kind: 'answered', inbound: { status, headers: inboundHeaders(headers), body: this.#body } })
  }

  onResponseData(_: Controller, chunk: Buffer): void {
    // undici's parser hands over an empty piece whenever it goes on and has nothing to read. Node writes such a piece
    // within the turn, so that a body that pauses at each piece would go on and pause without an end.
    if (chunk.length === 0) return
    if (this.#missingBytes !== undefined) this.#missingBytes -= chunk.length
    this.#body?.push(chunk)
  }

  onResponseEnd(): void {
    this.#leaveConnection()
    this.#connection?.noteEnd(this.account)
    // undici ends such an answer at a reset, too; only a closed connection makes the answer whole (RFC 9112, 8).
    if (this.#endsWithConnection && this.#connection?.isBroken === true) this.#body?.fail('UPSTREAM_RESET')
    else this.#body?.end()
  }

  onResponseError(_: Controller, error: Error): void {
    this.#client = undefined
    this.#leaveConnection()
    if (this.#body === undefined)
      this.#resolve({ kind: 'failed', code: isOverloaded(error) ? 'OVERLOADED' : upstreamCode(error) })
    // undici reads white space behind a Content-Length as digits, so that undici waits for bytes that nobody announced.
    else if (this.#missingBytes === 0 && isLengthMismatch(error)) this.#body.end()
    else this.#body.fail(this.#connection?.codeOf(error) ?? upstreamCode(error))
  }

  pause(): void {
    this.#controller?.pause()
    if (!this.#isOver) this.#connection?.holdBody(this.account)
  }

  resume(): void {
    if (!this.#isOver) this.#connection?.releaseBody(this.account)
    this.#controller?.resume()
  }

  abort(): void {
    this.#controller?.abort(new Error('the answer is no longer needed'))
  }

  noteConsumed(bytes: number, ms: number): void {
    this.#connection?.noteConsumed(bytes, ms)
  }

  /** Once the answer has ended, the connection belongs to the next call. */
  #leaveConnection(): void {
    if (this.#isOver) return
    this.#connection?.releaseBody(this.account)
    this.#connection?.leaveFields()
    this.#isOver = true
  }
}

/**
 * Returns true for `chunked`, the only coding that undici's parser removes: the parser passes bytes of other codings on
 * as if they were the body (RFC 9112, 6.1).
 */
function isChunked(coding: string | string[]): boolean {
  return coding === 'chunked' || (typeof coding === 'string' && /^chunked *$/i.test(coding))
}

function isLengthMismatch(error: Error): boolean {
  return 'code' in error && error.code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH'
}

function createDispatcher(
  options: UpstreamOptions,
  bodyLeases: BodyLeases,
  connections: OutboundConnections,
): Dispatcher {
  const ends = new OwnEnds(symbols.kDestroyed)
  const open = createConnector(options, ends)
  const connect: ConnectFor = (client, target, callback) =>
    open(target, (...opened) => {
      if (opened[0] !== null) return callback(...opened)
      const [, socket] = opened
      const error = errorOfFresh(socket)
      if (error !== undefined) {
        socket.on('error', () => undefined).destroy()
        return callback(error, null)
      }
      const connection = connections.track(bodyLeases.track(socket), originOf(target))
      ends.pace(connection, () => client.isWanted)
      callback(...opened)
    })
  // With pipelining 1 a call never waits behind another call's answer.
  return new Agent({
    pipelining: 1,
    keepAliveMaxTimeout: KEPT_MS,
    maxHeaderSize: options.maxHeaderBytes,
    allowH2: false,
    factory: (origin, settings) => new ConnectionPool(origin, settings, connect),
  })
}

/** Opens a connection; undici's own type returns nothing. */
type Connect = (target: BuildConnector.Options, callback: (...opened: Opened) => void) => ConnectionAttempt
export type ConnectFor = (
  client: { readonly isWanted: boolean },
  ...parameters: Parameters<Connect>
) => ConnectionAttempt

/** A connection to an LLM API, or the place of one; at most one call waits for it. */
class ConnectionClient extends Client {
  #attempt: ConnectionAttempt | undefined

  constructor(origin: string | URL, options: ClientOptions.Options, connect: ConnectFor) {
    super(origin, {
      ...options,
      connect: (target: BuildConnector.Options, callback: BuildConnector.Callback) => {
        this.#attempt = connect(this, target, callback)
      },
    })
  }

  /** True while a call has the connection or waits for it. */
  get isWanted(): boolean {
    return this[symbols.kSize] > 0
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    if (handler instanceof Exchange) handler.takeClient(this)
    return super.dispatch(options, handler)
  }

  /** Ends the attempt to connect; the call that waits for it fails. */
  cancelAttempt(): void {
    this.#attempt?.cancel()
  }
}

/**
 * The connections to one LLM API. Each connection has a client. undici's pool keeps the client of an ended connection,
 * and so as many clients as it ever had connections at once: 4,000 clients took 7 MiB.
 */
export class ConnectionPool extends Pool {
  #connections = 0

  constructor(origin: string | URL, options: PoolOptions.Options, connect: ConnectFor) {
    const factory = (each: string | URL, settings: object) => new ConnectionClient(each, settings, connect)
    // undici would make a connector of its own.
    super(origin, { ...options, connect: () => undefined, factory })
    this.on('connect', () => {
      this.#connections += 1
    })
    this.on('disconnect', (_, targets) => {
      this.#connections -= 1
      this.#retire(targets.at(-1))
    })
  }

  /**
   * The number of connections, which undici's agent reads at each loss of one. undici's pool would ask all of its
   * clients: 3,000 connections that end at one moment took 100 ms of a turn.
   */
  get [symbols.kConnected](): number {
    return this.#connections
  }

  /** 1 where a call waits for a connection, otherwise 0: undici's pool would ask all of its clients here, too. */
  get [symbols.kPending](): number {
    return this[poolBase.kClients].some((client) => client[symbols.kPending] > 0) ? 1 : 0
  }

  /** Closes all clients, some in each turn: 3,000 idle ones took 180 ms of a turn. */
  override async [symbols.kClose](): Promise<unknown> {
    let closed = 0
    for (const client of [...this[poolBase.kClients]]) {
      if (client.destroyed) continue
      void client.close() // awaited by undici's pool
      closed += 1
      if (closed % CLOSED_TOGETHER === 0) await nextTurn()
    }
    return super[symbols.kClose]()
  }

  /** A retired client makes the calls that it already has. */
  #retire(client: unknown): void {
    const clients = this[poolBase.kClients]
    const found = clients.length > KEPT_CLIENTS ? clients.find((kept) => kept === client) : undefined
    if (found !== undefined) this[poolBase.kRetireClient](found)
  }
}

function createConnector(options: UpstreamOptions, ends: OwnEnds): Connect {
  const { deny, proxyFor, connectTimeoutMs } = options
  const tls = { rejectUnauthorized: options.tls.rejectUnauthorized, secureContext: trustOf(options.tls.ca) }
  // The attempt itself has a timer.
  const settings = { timeout: 0, allowH2: false, ...tls }
  const direct = paceHandshakes(buildConnector({ ...settings, lookup: deny?.lookup ?? sharedLookup }))
  // The proxy comes from the gateway's own environment, so outbound_deny applies to the target, not to the proxy.
  const toProxy = paceHandshakes(buildConnector({ ...settings, lookup: sharedLookup }))
  return (target, callback) => {
    const attempt = new ConnectionAttempt(callback, { origin: originOf(target), timeoutMs: connectTimeoutMs, ends })
    const end = (...opened: Opened): void => attempt.end(...opened)
    const proxy = proxyFor?.(target)
    if (deny?.denies(target.hostname) === true) end(deniedError(), null)
    else if (proxy === undefined) attempt.follow(direct(target, end))
    else if (!needsTunnel(target.protocol, deny)) attempt.follow(toProxy({ ...target, ...addressOf(proxy) }, end))
    else {
      void openTunnelTo(target, proxy, attempt).then(
        (socket) => {
          if (target.protocol === 'https:') attempt.follow(direct({ ...target, httpSocket: socket }, end))
          else end(null, socket)
        },
        (error: unknown) => end(error instanceof Error ? error : new Error('tunnel failed'), null),
      )
    }
    return attempt
  }

  async function openTunnelTo(target: BuildConnector.Options, proxy: URL, attempt: ConnectionAttempt) {
    const port = target.port || (target.protocol === 'https:' ? '443' : '80')
    const host = deny === undefined ? target.hostname : await deny.resolve(target.hostname)
    const authority = `${host.includes(':') ? `[${host}]` : host}:${port}`
    const follow = attempt.follow.bind(attempt)
    return openTunnel(proxy, authority, { tls, follow })
  }
}

function originOf({ protocol, hostname, port }: BuildConnector.Options): string {
  return `${protocol}//${hostname}:${port}`
}

function addressOf({ protocol, hostname, host, port }: URL) {
  return { protocol, hostname: hostname.replace(/^\[|\]$/g, ''), host, port }
}
