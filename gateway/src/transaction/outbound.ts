import type { Route, RuntimeConfig } from '../config/runtime-config.ts'
import { connectionNames, type Header, type HeaderMap, hopByHop } from '../http/headers.ts'
import { type QueryParameter, queryText } from '../http/query.ts'
import { acceptedCodings } from './accepted-codings.ts'
import type { Mask } from './mask.ts'
import { maskedQuery } from './mask.ts'
import type { Payload } from './payload.ts'

/** The caller's request. */
export type IngressRequest = {
  readonly method: string
  readonly route: Route
  readonly subpath: string
  readonly query: readonly QueryParameter[]
  readonly headers: HeaderMap
  readonly payload: Payload
}

/** The outbound request, built from the ingress side and a route, then changed by processors. */
export type OutboundRequest = {
  readonly route: Route
  /** The sub-path without a leading slash. */
  readonly subpath: string
  /** The sub-path as records and processors see it: segments of the router's endpoint with a reference are masked. */
  readonly shownSubpath: string
  readonly query: readonly QueryParameter[]
  /** Parameters of the caller that the router's parameters replaced. */
  readonly overwritten: readonly QueryParameter[]
  readonly headers: HeaderMap
  /** Canonical names that `remove_headers` took out. */
  readonly removed: readonly string[]
  /** Headers of the caller that aren't sent. */
  readonly discarded: HeaderMap
  readonly payload: Payload
  /** True once a processor wrote the payload; the caller's bytes are outdated then. */
  readonly payloadWritten: boolean
}

/**
 * Builds the request that leaves through `route` (docs/reference/http.md#headers-to-the-llm-api). After a re-route
 * `route` differs from `ingress.route`.
 */
export function buildOutbound(runtime: RuntimeConfig, ingress: IngressRequest, route: Route): OutboundRequest {
  const remainder = ingress.subpath.replace(/^\//, '')
  return {
    route,
    subpath: route.target.endpointPath ?? remainder,
    shownSubpath: route.target.shownEndpointPath ?? remainder,
    ...outboundQuery(ingress.query, route.target.query),
    ...outboundHeaders(runtime, ingress, route),
    payload: ingress.payload,
    payloadWritten: false,
  }
}

type OutboundQuery = Pick<OutboundRequest, 'query' | 'overwritten'>

function outboundQuery(ingress: readonly QueryParameter[], own: readonly QueryParameter[]): OutboundQuery {
  if (own.length === 0) return { query: ingress, overwritten: own }
  const names = new Set(own.map((parameter) => parameter.name))
  return {
    query: [...ingress.filter((parameter) => !names.has(parameter.name)), ...own],
    overwritten: ingress.filter((parameter) => names.has(parameter.name)),
  }
}

type OutboundHeaders = Pick<OutboundRequest, 'headers' | 'removed' | 'discarded'>

function outboundHeaders(runtime: RuntimeConfig, ingress: IngressRequest, route: Route): OutboundHeaders {
  const { target } = route
  const listed = connectionNames(ingress.headers)
  const headers = new Map<string, Header>()
  const discarded = new Map<string, Header>()
  const removed: string[] = []
  for (const header of ingress.headers.values()) {
    const { lower } = header
    if (runtime.removeHeaders.has(lower)) removed.push(header.canonical)
    else if (target.headerNames.has(lower) || lower === 'content-length') continue
    else if (isForwarded(lower) && !listed.has(lower))
      headers.set(lower, lower === 'accept-encoding' ? acceptedCodings(header) : header)
    else discarded.set(lower, header)
  }
  for (const header of target.headers) headers.set(header.lower, header)
  return { headers, removed, discarded }

  function isForwarded(lower: string): boolean {
    if (lower !== 'content-type' && (ingress.route.ingressNames.has(lower) || route.ingressNames.has(lower)))
      return false
    if (target.setsMaskedHeader && runtime.maskedHeaders.has(lower)) return false
    return lower !== runtime.sessionHeader.lower && lower !== 'expect' && !hopByHop.has(lower)
  }
}

/**
 * Returns the outbound path and query, joined as text with exactly one slash at the seam; slashes elsewhere stay
 * (docs/reference/http.md#paths).
 */
export function outboundPath(outbound: OutboundRequest): string {
  const path = joinPath(outbound.route.target.urlPath, outbound.subpath)
  return outbound.query.length === 0 ? path : `${path}?${queryText(outbound.query)}`
}

/** Returns the record's `url_path` and `url`, masked. */
export function outboundUrl(outbound: OutboundRequest, mask: Mask): { readonly urlPath: string; readonly url: string } {
  const { origin, shownUrlPath } = outbound.route.target
  const urlPath = origin + joinPath(shownUrlPath, outbound.shownSubpath)
  const query = maskedQuery(outbound.query, mask)
  return { urlPath, url: query === '' ? urlPath : `${urlPath}?${query}` }
}

function joinPath(base: string, rest: string): string {
  if (rest === '') return base === '' ? '/' : base
  return base.endsWith('/') ? base + rest : `${base}/${rest}`
}
