import type { Header } from '../http/headers.ts'
import type { QueryParameter } from '../http/query.ts'

/** A configuration compiled for the request path: deeply read-only, and pinned by each request. */
export type RuntimeConfig = {
  readonly digest: string
  readonly gatewayId: string
  readonly sessionHeader: HeaderName
  readonly maskedHeaders: ReadonlySet<string>
  /**
   * Lower-case names whose values are never shown: the configured masks, and all names that a router fills from a
   * reference.
   */
  readonly secretHeaders: ReadonlySet<string>
  readonly secretQueryParameters: ReadonlySet<string>
  /** The masked query parameters whose names aren't shown either, since a router fills the name from a reference. */
  readonly hiddenQueryParameters: ReadonlySet<string>
  /** Lower case; removed from requests to the LLM API and from answers to the caller. */
  readonly removeHeaders: ReadonlySet<string>
  readonly logUnauthorized: boolean
  readonly limits: RequestLimits
  /**
   * The times of a stop: the listener stays open for `delayMs`, then running calls have `limitMs` to end
   * (docs/reference/http.md#drain).
   */
  readonly drain: { readonly delayMs: number; readonly limitMs: number }
  /** CIDRs that new connections must not reach; a change of the list renews all connections. */
  readonly outboundDeny: readonly string[]
  readonly routes: RouteTable
  readonly requestRows: RowTable
  readonly responseRows: RowTable
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

/** The name of a header: `canonical` as sent and shown (each part between hyphens capitalised), `lower` as compared. */
export type HeaderName = { readonly canonical: string; readonly lower: string }

/** The paths of all routers, including inactive routers (404). */
export type RouteTable = {
  readonly byPath: ReadonlyMap<string, Route | 'inactive'>
  /** The most slashes of a path, which bounds the look-ups for a long request path. */
  readonly maxDepth: number
  /** The lengths of all paths: other beginnings of a request path aren't looked up. */
  readonly lengths: ReadonlySet<number>
}

/** A compiled router. */
export type Route = {
  readonly path: string
  readonly internal: boolean
  readonly ingress: readonly HeaderCheck[]
  /** Lower-case names of the checked ingress headers. */
  readonly ingressNames: ReadonlySet<string>
  readonly target: RouteTarget
  /** The characters of its texts, which each of its calls works on. */
  readonly characters: number
}

export type RouteTarget = {
  /** `echo` routers are answered by the gateway itself. */
  readonly kind: 'echo' | 'http'
  /** scheme://host[:port] */
  readonly origin: string
  /** The path of outbound.url as written, "" or with a leading slash. */
  readonly urlPath: string
  /** The path as shown to records and processors: segments with a reference are masked. */
  readonly shownUrlPath: string
  /**
   * The path of outbound.endpoint without a leading slash; undefined for an empty endpoint, where the remainder is
   * used.
   */
  readonly endpointPath: string | undefined
  readonly shownEndpointPath: string | undefined
  /** The url's query, overlaid by the endpoint's. */
  readonly query: readonly QueryParameter[]
  /** The secrets in the address, the longest first, as they are sent and decoded. */
  readonly addressSecrets: readonly string[]
  readonly headers: readonly Header[]
  /** True where the url has user-info, which is in `headers` as Authorization. */
  readonly hasUserInfo: boolean
  /** Lower-case names of `headers`. */
  readonly headerNames: ReadonlySet<string>
  /**
   * True where the router sets a masked header: no masked header of the caller is sent then
   * (docs/reference/http.md#headers-to-the-llm-api).
   */
  readonly setsMaskedHeader: boolean
}

/** `present` stands for the one-element list `regex:.+`; `media-type` compares type/subtype only. */
export type HeaderCheck = HeaderName &
  (
    | { readonly kind: 'present' }
    | { readonly kind: 'media-type'; readonly values: readonly string[] }
    /** `text` holds the values, separated by line feeds. No second form is kept: it would take as much memory again. */
    | { readonly kind: 'equal'; readonly text: string }
  )

/** The rows of a phase. A call looks only at the rows of its routers, however many rows the file has. */
export type RowTable = {
  /** The rows with a member for every router, in the file's order. */
  readonly everywhere: readonly Row[]
  /** Path of a router → the rows with a member that names this router, in the file's order. */
  readonly byRouter: ReadonlyMap<string, readonly Row[]>
}

/** A row of the pipeline. Its members run in parallel, sync and async members in separate passes. */
export type Row = {
  /** Greater than the position of every earlier row in the file. */
  readonly position: number
  readonly sync: readonly RowProcessor[]
  readonly async: readonly RowProcessor[]
}

export type RowProcessor = {
  readonly name: string
  readonly subject: string
  readonly timeoutMs: number
  readonly modifier: boolean
  readonly required: boolean
  readonly async: boolean
  readonly input: FieldFilter
  /** Equal for members that select the same fields and share one message. */
  readonly inputKey: string
  readonly writes: ReadonlySet<string>
  /** Paths of active routers; undefined means every router. */
  readonly routers: ReadonlySet<string> | undefined
  /** Paths of active routers; undefined means any router. */
  readonly rerouteTo: ReadonlySet<string> | undefined
}

/** A filter of first-level names: `include` (when not undefined), then `exclude`. */
export type FieldFilter = { readonly include: ReadonlySet<string> | undefined; readonly exclude: ReadonlySet<string> }

export function selects(filter: FieldFilter, name: string): boolean {
  return (filter.include === undefined || filter.include.has(name)) && !filter.exclude.has(name)
}

/** The configuration in force; a user pins `current` before its first `await`. */
export type LiveConfig<T> = {
  readonly current: T
  /** Replaces `current` for all later readers. */
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
