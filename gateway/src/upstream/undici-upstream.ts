import { setImmediate as nextTurn } from 'node:timers/promises'
import type { buildConnector as BuildConnector, Client as ClientOptions, Dispatcher, Pool as PoolOptions } from 'undici'
import buildConnector from 'undici/lib/core/connect.js'
import symbols from 'undici/lib/core/symbols.js'
import Agent from 'undici/lib/dispatcher/agent.js'
import Client from 'undici/lib/dispatcher/client.js'
import Pool from 'undici/lib/dispatcher/pool.js'
import poolBase from 'undici/lib/dispatcher/pool-base.js'
import { BodyLeases } from './body-leases.ts'
import { ConnectionAttempt, type Opened } from './connection-attempt.ts'
import { type DenyList, deniedError } from './deny-list.ts'
import { Exchange } from './exchange.ts'
import { errorOfFresh } from './fresh-connection.ts'
import { IdleEnd } from './idle-end.ts'
import { OutboundConnections } from './outbound-connection.ts'
import { paceHandshakes } from './outbound-handshakes.ts'
import { trustOf } from './outbound-trust.ts'
import { OwnEnds } from './own-ends.ts'
import { needsTunnel, proxiedRequest } from './proxied-request.ts'
import type { ProxyChoice } from './proxy-choice.ts'
import { sharedLookup } from './shared-lookup.ts'
import { openTunnel } from './tunnel.ts'
import type { Upstream } from './upstream.ts'

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
  const send: Upstream['send'] = (request, signal) => {
    if (request.body !== undefined && request.memory !== undefined) bodyLeases.expect(request.body, request.memory)
    return new Promise((resolve) => {
      const exchange = new Exchange(connections, request.account, signal, resolve)
      exchange.send(dispatcher, proxiedRequest(request, options))
    })
  }
  return {
    send(request, signal) {
      const isRead = connections.readIdle(request.origin)
      return isRead === undefined ? send(request, signal) : isRead.then(() => send(request, signal))
    },
    async close() {
      // undici would refuse a call that waits until idle connections are read.
      await connections.awaitedRead
      await dispatcher.close()
    },
  }
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
      const isWanted = (): boolean => client.isWanted
      const connection = connections.track(bodyLeases.track(socket), originOf(target), isWanted)
      ends.pace(connection, isWanted)
      client.idleEnd = new IdleEnd(connection, ends)
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
  client: { readonly isWanted: boolean; idleEnd: IdleEnd | undefined },
  ...parameters: Parameters<Connect>
) => ConnectionAttempt

/** A connection to an LLM API, or the place of one; at most one call waits for it. */
class ConnectionClient extends Client {
  /** The end of the last connection that was opened. */
  idleEnd: IdleEnd | undefined
  #attempt: ConnectionAttempt | undefined

  constructor(origin: string | URL, options: ClientOptions.Options, connect: ConnectFor) {
    super(origin, {
      ...options,
      connect: (target: BuildConnector.Options, callback: BuildConnector.Callback) => {
        this.#attempt = connect(this, target, callback)
      },
    })
    // undici fails the calls that wait for an idle connection where the connection is reset. They get a new connection, as
    // they do where it is closed.
    this[symbols.kOnError] = () => undefined
  }

  /** True while a call has the connection or waits for it. */
  get isWanted(): boolean {
    return this[symbols.kSize] > 0
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    this.idleEnd?.take()
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

/** Returns the origin as the calls to it state it; undici gives an IPv6 address without brackets. */
export function originOf({ protocol, hostname, port }: Pick<BuildConnector.Options, 'protocol' | 'hostname' | 'port'>) {
  const host = hostname.includes(':') ? `[${hostname}]` : hostname
  return `${protocol}//${host}${port === '' ? '' : `:${port}`}`
}

function addressOf({ protocol, hostname, host, port }: URL) {
  return { protocol, hostname: hostname.replace(/^\[|\]$/g, ''), host, port }
}
