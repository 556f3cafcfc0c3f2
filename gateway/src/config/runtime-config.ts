import type { Header } from '../http/headers.ts'
import type { QueryParameter } from '../http/query.ts'

/** One applied configuration, compiled for the request path: deep-readonly, and pinned by each request. */
export type Runtime = {
  readonly digest: string
  readonly gatewayId: string
  readonly sessionHeader: HeaderName
  readonly maskedHeaders: ReadonlySet<string>
  /** What is never shown, lower case: the configured masks, and every name that any router fills from a reference. */
  readonly secretHeaders: ReadonlySet<string>
  readonly secretQueryParameters: ReadonlySet<string>
  /** Lower case; taken out on the way out and on the way back. */
  readonly removeHeaders: ReadonlySet<string>
  readonly logUnauthorized: boolean
  readonly limits: RequestLimits
  /**
   * At a stop the listener stays for `delayMs`, then running calls have `limitMs` to end
   * (docs/reference/http.md#drain).
   */
  readonly drain: { readonly delayMs: number; readonly limitMs: number }
  /** CIDRs; in force for new connections and, from a reload on, for all. */
  readonly outboundDeny: readonly string[]
  readonly routes: RouteTable
  readonly requestRows: readonly Row[]
  readonly responseRows: readonly Row[]
  readonly recordFields: { readonly request: FieldFilter; readonly response: FieldFilter }
}

export type RequestLimits = {
  readonly requestBytes: number
  readonly responseBytes: number
  readonly requestIdleTimeoutMs: number
  readonly requestBodyTimeoutMs: number
  readonly jsonDepth: number
  readonly outboundHeadersTimeoutMs: number
  readonly outboundSilenceTimeoutMs: number
}

/** `canonical` as it is written (each hyphen part capitalised), `lower` as it is compared. */
export type HeaderName = { readonly canonical: string; readonly lower: string }

/** The paths of all routers, those that are held (404) included. */
export type RouteTable = {
  readonly byPath: ReadonlyMap<string, Route | 'held'>
  /** The most slashes any path has: bounds the look-ups a long request path can cost. */
  readonly depth: number
}

/** A compiled router. */
export type Route = {
  readonly path: string
  readonly internal: boolean
  readonly ingress: readonly HeaderCheck[]
  /** Lower case. */
  readonly ingressNames: ReadonlySet<string>
  readonly target: RouteTarget
}

export type RouteTarget = {
  /** `echo`: the gateway answers itself. */
  readonly kind: 'echo' | 'http'
  /** scheme://host[:port] */
  readonly origin: string
  /** Path of outbound.url as it is written, "" or with a leading slash. */
  readonly urlPath: string
  /** As records and processors are shown it: segments that hold a reference are masked. */
  readonly shownUrlPath: string
  /** Path of outbound.endpoint without leading slash; undefined where the endpoint is empty: the remainder is used. */
  readonly endpointPath: string | undefined
  readonly shownEndpointPath: string | undefined
  /** Query of the url overlaid by the endpoint's. */
  readonly query: readonly QueryParameter[]
  readonly headers: readonly Header[]
  /** The url has user-info: it stands in `headers` as Authorization. */
  readonly hasUserInfo: boolean
  /** Lower case. */
  readonly headerNames: ReadonlySet<string>
  /**
   * The router sets a masked header: then no masked header of the caller leaves
   * (docs/reference/http.md#headers-to-the-llm-api).
   */
  readonly setsMaskedHeader: boolean
}

export type HeaderCheck = HeaderName & {
  /** `present` is the one-element list `regex:.+`; `media-type` compares type/subtype only. */
  readonly kind: 'equal' | 'present' | 'media-type'
  readonly values: readonly string[]
}

/** A row of the pipeline: its members run in parallel, the sync and the async ones in passes of their own. */
export type Row = { readonly sync: readonly Member[]; readonly async: readonly Member[] }

export type Member = {
  readonly name: string
  readonly subject: string
  readonly timeoutMs: number
  readonly modifier: boolean
  readonly required: boolean
  readonly async: boolean
  readonly input: FieldFilter
  /** Equal for members that are sent the same fields: they share one message. */
  readonly inputKey: string
  readonly writes: ReadonlySet<string>
  /** undefined: every router. */
  readonly routers: ReadonlySet<string> | undefined
  /** undefined: any router. */
  readonly rerouteTo: ReadonlySet<string> | undefined
}

/** First-level names: `include` (when not undefined), then `exclude`. */
export type FieldFilter = { readonly include: ReadonlySet<string> | undefined; readonly exclude: ReadonlySet<string> }

export function selects(filter: FieldFilter, name: string): boolean {
  return (filter.include === undefined || filter.include.has(name)) && !filter.exclude.has(name)
}

/** The configuration in force; who needs it for longer than a moment pins `current` first. */
export type LiveConfig<T> = {
  readonly current: T
  /** Replaces it for everyone who looks from now on. */
  swap(next: T): void
}

export function createLiveConfig<T>(initial: T): LiveConfig<T> {
  let current = initial
  return {
    get current() {
      return current
    },
    swap: (next) => {
      current = next
    },
  }
}
