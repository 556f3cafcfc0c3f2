import type { LookupFunction } from 'node:net'
import { Agent, buildConnector, type Dispatcher, EnvHttpProxyAgent } from 'undici'
import { canonicalName, type Header, type HeaderMap } from '../http/headers.ts'
import { failureCode } from './failure-code.ts'
import { InboundBody } from './inbound-body.ts'
import type { CancelSignal, Upstream, UpstreamAnswer, UpstreamRequest } from './upstream.ts'

type Controller = Dispatcher.DispatchController

export type UpstreamOptions = {
  readonly connectTimeoutMs: number
  readonly maxHeaderBytes: number
  readonly tls: { readonly rejectUnauthorized: boolean; readonly ca: readonly string[] }
  /** Refuses denied addresses after DNS; undefined where nothing is denied. */
  readonly lookup: LookupFunction | undefined
  /** True for an address written as such, which no lookup ever sees. */
  readonly deniesHost: (hostname: string) => boolean
  readonly proxy: { readonly http?: string; readonly https?: string; readonly none?: string } | undefined
}

/**
 * Sends with undici's dispatch, the one primitive below its request and fetch: no stream objects per call. Connections
 * are kept per origin, as many as there are calls at once, and closed after 4 s idle or the peer's hint.
 */
export function createUndiciUpstream(options: UpstreamOptions): Upstream {
  const dispatcher = createDispatcher(options)
  return {
    send: (request, signal) => new Promise((resolve) => dispatch(dispatcher, request, signal, resolve)),
    close: () => dispatcher.close(),
  }
}

function dispatch(
  dispatcher: Dispatcher,
  request: UpstreamRequest,
  signal: CancelSignal,
  resolve: (answer: UpstreamAnswer) => void,
): void {
  let controller: Controller | undefined
  let body: InboundBody | undefined
  signal.onCancel(() => controller?.abort(new Error('caller gone')))
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
    {
      onRequestStart(started) {
        controller = started
        if (signal.cancelled) started.abort(new Error('caller gone'))
      },
      onResponseStart(started, status, headers) {
        // 1xx are the connection's own business.
        if (status < 200) return
        body = new InboundBody({
          pause: () => started.pause(),
          resume: () => started.resume(),
          abort: () => started.abort(new Error('not wanted')),
        })
        resolve({ kind: 'answered', inbound: { status, headers: inboundHeaders(headers), body } })
      },
      onResponseData(_, chunk) {
        body?.push(chunk)
      },
      onResponseEnd() {
        body?.end()
      },
      onResponseError(_, error) {
        const code = failureCode(error)
        if (body === undefined) resolve({ kind: 'failed', code })
        else body.fail(code)
      },
    },
  )
}

function flatHeaders(headers: HeaderMap): string[] {
  const flat: string[] = []
  for (const header of headers.values()) for (const value of header.values) flat.push(header.canonical, value)
  return flat
}

function inboundHeaders(headers: Record<string, string | string[] | undefined>): HeaderMap {
  const map = new Map<string, Header>()
  for (const lower of Object.keys(headers)) {
    const values = headers[lower]
    if (values !== undefined) {
      map.set(lower, { canonical: canonicalName(lower), lower, values: typeof values === 'string' ? [values] : values })
    }
  }
  return map
}

function createDispatcher(options: UpstreamOptions): Dispatcher {
  const { rejectUnauthorized, ca } = options.tls
  const connect = denying(
    buildConnector({
      timeout: options.connectTimeoutMs,
      allowH2: false,
      rejectUnauthorized,
      ca: [...ca],
      ...(options.lookup === undefined ? {} : { lookup: options.lookup }),
    }),
    options.deniesHost,
  )
  // Pipelining 1: a call never waits behind another's answer.
  const shared = { connect, pipelining: 1, maxHeaderSize: options.maxHeaderBytes, allowH2: false }
  if (options.proxy === undefined) return new Agent(shared)
  const { http, https, none } = options.proxy
  return new EnvHttpProxyAgent({
    ...shared,
    ...(http === undefined ? {} : { httpProxy: http }),
    ...(https === undefined ? {} : { httpsProxy: https }),
    ...(none === undefined ? {} : { noProxy: none }),
  })
}

function denying(connector: buildConnector.connector, denies: (hostname: string) => boolean): buildConnector.connector {
  return (options, callback) => {
    if (denies(options.hostname)) callback(Object.assign(new Error('denied'), { code: 'UPSTREAM_DENIED' }), null)
    else connector(options, callback)
  }
}
