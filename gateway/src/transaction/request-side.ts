import { MASKED } from '@llm-gateway/protocol'
import type { Member, Route, Runtime } from '../config/runtime-config.ts'
import { type HeaderMap, hopByHop } from '../http/headers.ts'
import { type QueryParameter, queryParameter } from '../http/query.ts'
import { quote } from '../json/quote.ts'
import type { Holding } from '../memory/memory-account.ts'
import type { Fields } from '../pipeline/fields.ts'
import { type JsonValue, MAP, ONE_VALUE, parseWithin } from '../pipeline/reply-value.ts'
import type { Effect, Side, SideError, WriteEffect } from '../pipeline/side.ts'
import { type Control, controlEffects } from './control.ts'
import { headersJson, Mask, namedParametersJson, parameterMapJson } from './mask.ts'
import { isAcceptablePath } from './match-route.ts'
import { buildOutbound, type Ingress, type Outbound, outboundUrl } from './outbound.ts'
import { jsonPayload, payloadJson } from './payload.ts'
import { jsonContentType, payloadHeaders, stringList, writtenHeaders } from './written-headers.ts'

/**
 * The request half of a transaction: the ingress side, the outbound request, and the fields that processors see and
 * write.
 */
export class RequestSide implements Side {
  readonly phase = 'request'
  readonly ingress: Ingress
  readonly holding: Holding
  readonly mask: Mask
  readonly processors: string[] = []
  readonly processorsAsync: string[] = []
  readonly errors: SideError[] = []
  outbound: Outbound
  /** The ingress router's path, set once a processor has re-routed the call. */
  originalPath: string | undefined
  control: Control | undefined
  readonly #runtime: Runtime
  #fields: Fields | undefined
  #effects: ReadonlyMap<string, WriteEffect> | undefined

  constructor(runtime: Runtime, ingress: Ingress, holding: Holding) {
    this.ingress = ingress
    this.holding = holding
    this.mask = new Mask(runtime)
    this.outbound = buildOutbound(runtime, ingress, ingress.route)
    this.#runtime = runtime
  }

  /** The session header in lower case; the record shows the header, messages to processors don't. */
  get hidden(): string {
    return this.#runtime.sessionHeader.lower
  }

  /** Made at the first read, by a processor's message, a write effect or the record. */
  get fields(): Fields {
    if (this.#fields === undefined) {
      this.#fields = new Map()
      setIngressFields(this)
      setOutboundFields(this)
      this.#fields.set('control', 'null')
    }
    return this.#fields
  }

  get jsonDepth(): number {
    return this.#runtime.limits.jsonDepth
  }

  get effects(): ReadonlyMap<string, WriteEffect> {
    this.#effects ??= effectsOn(this, this.#runtime)
    return this.#effects
  }
}

type WrittenBy = { readonly value: JsonValue; readonly member: Member }

function effectsOn(side: RequestSide, runtime: Runtime): ReadonlyMap<string, WriteEffect> {
  return new Map([
    ...controlEffects(runtime, side),
    ['gl_path', ({ value }, member) => reroute(runtime, side, { value, member })],
    ['outbound_payload', ({ value }) => writePayload(side, value)],
    ['outbound_headers', ({ value }, member) => writeHeaders(runtime, side, { value, member })],
    ['outbound_subpath', ({ value }) => writeSubpath(side, value)],
    ['outbound_query_parameters', ({ value }) => writeQuery(side, value)],
  ])
}

function setIngressFields(side: RequestSide): void {
  const { fields, ingress, mask } = side
  fields.set('gl_path', quote(ingress.route.path))
  fields.set('ingress_method', quote(ingress.method))
  fields.set('ingress_subpath', quote(ingress.subpath.replace(/^\//, '')))
  fields.set('ingress_headers', headersJson(ingress.headers, mask, side.hidden))
  if (ingress.query.length > 0) fields.set('ingress_query_parameters', namedParametersJson(ingress.query, mask))
  fields.set('ingress_payload', payloadJson(ingress.payload))
}

/** Sets every field of the outbound request. */
function setOutboundFields(side: RequestSide): void {
  const { fields, outbound, mask } = side
  fields.set('outbound_subpath', quote(outbound.shownSubpath))
  fields.set('outbound_headers', headersJson(outbound.headers, mask))
  fields.set('outbound_headers_removed', `{${outbound.removed.map((name) => `${quote(name)}:[]`).join(',')}}`)
  fields.set('outbound_headers_discarded', headersJson(outbound.discarded, mask, side.hidden))
  setQueryFields(fields, outbound, mask)
  fields.set('outbound_payload', payloadJson(outbound.payload))
  setUrlFields(fields, outbound, mask)
}

function setQueryFields(fields: Fields, outbound: Outbound, mask: Mask): void {
  if (outbound.query.length > 0) fields.set('outbound_query_parameters', parameterMapJson(outbound.query, mask))
  if (outbound.overwritten.length > 0) {
    fields.set('outbound_query_parameters_overwritten', parameterMapJson(outbound.overwritten, mask))
  }
}

function setUrlFields(fields: Fields, outbound: Outbound, mask: Mask): void {
  const { urlPath, url } = outboundUrl(outbound, mask)
  fields.set('url_path', quote(urlPath))
  fields.set('url', quote(url))
}

/**
 * Re-routes the call to another router, at most once: the router's url, endpoint, query and headers replace earlier
 * writes to `outbound_*`.
 */
function reroute(runtime: Runtime, side: RequestSide, { value, member }: WrittenBy): Effect {
  if (side.originalPath !== undefined) return { kind: 'ignored', error: 'already re-routed' }
  const path = parseWithin(value, ONE_VALUE)
  if (path === undefined) return { kind: 'ignored', error: 'too large: gl_path' }
  const route = typeof path === 'string' ? rerouteTarget(runtime, path, member) : undefined
  if (route === undefined) return { kind: 'ignored', error: 'not a router to re-route to' }
  if (route.path === side.ingress.route.path) return { kind: 'ignored' }
  side.originalPath = side.ingress.route.path
  side.outbound = buildOutbound(runtime, side.ingress, route)
  for (const suffix of ['', '_overwritten', '_discarded']) side.fields.delete(`outbound_query_parameters${suffix}`)
  setIngressFields(side)
  setOutboundFields(side)
  side.fields.set('original_gl_path', quote(side.originalPath))
  return { kind: 'taken', json: quote(route.path) }
}

function rerouteTarget(runtime: Runtime, path: string, member: Member): Route | undefined {
  if (member.rerouteTo !== undefined && !member.rerouteTo.has(path)) return undefined
  const route = runtime.routes.byPath.get(path)
  return route === 'held' ? undefined : route
}

function writePayload(side: RequestSide, { json }: JsonValue): Effect {
  side.outbound = { ...side.outbound, payload: jsonPayload(json), payloadWritten: true }
  setHeaders(side, side.outbound.headers)
  return { kind: 'taken', json }
}

function writeHeaders(runtime: Runtime, side: RequestSide, { value, member }: WrittenBy): Effect {
  const map = parseWithin(value, MAP)
  if (map === undefined) return { kind: 'ignored', error: 'too large: outbound_headers' }
  const written = writtenHeaders(map, side.outbound.headers, (lower) => {
    const isOurs = lower === runtime.sessionHeader.lower || lower === 'content-encoding'
    return isOurs || side.mask.header(lower) || hopByHop.has(lower)
  })
  if (written === undefined) return { kind: 'ignored', error: 'not a map: outbound_headers' }
  for (const details of written.errors) side.errors.push({ name: member.name, details })
  setHeaders(side, written.headers)
  return { kind: 'taken', json: headersJson(side.outbound.headers, side.mask) }
}

/**
 * Sets the outbound headers. A changed payload leaves as application/json, unless the router sets a Content-Type
 * (docs/reference/bus.md#fields-with-an-effect).
 */
function setHeaders(side: RequestSide, wanted: HeaderMap): void {
  const { outbound, ingress, fields } = side
  const contentType = outbound.route.target.headerNames.has('content-type') ? undefined : jsonContentType
  const headers = outbound.payloadWritten ? payloadHeaders(wanted, contentType) : wanted
  const discarded = new Map(outbound.discarded)
  for (const [lower, header] of ingress.headers) {
    if (headers.has(lower)) discarded.delete(lower)
    else if (outbound.headers.has(lower)) discarded.set(lower, header)
  }
  side.outbound = { ...outbound, headers, discarded }
  fields.set('outbound_headers', headersJson(headers, side.mask))
  fields.set('outbound_headers_discarded', headersJson(discarded, side.mask, side.hidden))
}

function writeSubpath(side: RequestSide, value: JsonValue): Effect {
  const path = parseWithin(value, ONE_VALUE)
  if (path === undefined) return { kind: 'ignored', error: 'too large: outbound_subpath' }
  const subpath = typeof path === 'string' ? path.replace(/^\//, '') : undefined
  // The processor wrote back a masked sub-path as it was shown.
  if (subpath?.includes(MASKED)) return { kind: 'ignored' }
  // Characters outside visible ASCII would make an invalid request line.
  if (
    subpath === undefined ||
    !/^[\x21-\x7e]*$/.test(subpath) ||
    subpath.includes('?') ||
    !isAcceptablePath(`/${subpath}`)
  ) {
    return { kind: 'ignored', error: 'invalid: outbound_subpath' }
  }
  side.outbound = { ...side.outbound, subpath, shownSubpath: subpath }
  setUrlFields(side.fields, side.outbound, side.mask)
  return { kind: 'taken', json: quote(subpath) }
}

function writeQuery(side: RequestSide, value: JsonValue): Effect {
  const map = parseWithin(value, MAP)
  if (map === undefined) return { kind: 'ignored', error: 'too large: outbound_query_parameters' }
  if (typeof map !== 'object' || map === null || Array.isArray(map)) {
    return { kind: 'ignored', error: 'not a map: outbound_query_parameters' }
  }
  const query: QueryParameter[] = side.outbound.query.filter((parameter) => side.mask.parameter(parameter.name))
  for (const [name, values] of Object.entries(map)) {
    const list = stringList(values)
    if (side.mask.parameter(name) || list?.includes(MASKED)) continue
    if (list === undefined || !isWellFormed(name, list)) {
      return { kind: 'ignored', error: 'invalid: outbound_query_parameters' }
    }
    query.push(...list.map((text) => queryParameter(name, text)))
  }
  const names = new Set(query.map((parameter) => parameter.name))
  const discarded = side.ingress.query.filter((parameter) => !names.has(parameter.name))
  side.outbound = { ...side.outbound, query }
  const { fields, mask } = side
  fields.delete('outbound_query_parameters_discarded')
  if (discarded.length > 0) fields.set('outbound_query_parameters_discarded', parameterMapJson(discarded, mask))
  setUrlFields(fields, side.outbound, mask)
  return { kind: 'taken', json: parameterMapJson(query, mask) }
}

/** encodeURIComponent throws on lone surrogates. */
function isWellFormed(name: string, values: readonly string[]): boolean {
  return name.isWellFormed() && values.every((value) => value.isWellFormed())
}
