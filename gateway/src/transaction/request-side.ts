import { MASKED } from '@llm-gateway/protocol'
import type { Route, RowProcessor, RuntimeConfig } from '../config/runtime-config.ts'
import { type HeaderMap, hopByHop } from '../http/headers.ts'
import { type QueryParameter, queryParameter } from '../http/query.ts'
import { quote } from '../json/quote.ts'
import type { CallMemory } from '../memory/memory-account.ts'
import { type Fields, longTextBytes } from '../pipeline/fields.ts'
import { type JsonValue, parseMap, parseWithin, SINGLE_VALUE } from '../pipeline/reply-value.ts'
import type { ErrorEntry, Side, WriteEffect, WriteResult } from '../pipeline/side.ts'
import { type Control, controlEffects } from './control.ts'
import { headSteps } from './head-memory.ts'
import {
  groupParameters,
  headersJson,
  Mask,
  namedParametersJson,
  type ParameterGroups,
  parameterMapJson,
} from './mask.ts'
import { isAcceptablePath } from './match-route.ts'
import { jsonContentType, mergeHeaders, payloadHeaders, stringList } from './merge-headers.ts'
import { buildOutbound, type IngressRequest, type OutboundRequest, outboundUrl } from './outbound.ts'
import { jsonPayload, payloadJson } from './payload.ts'

type CallOfSide = {
  readonly memory: CallMemory
  /** The bytes of memory of the head, from which the fields are made. */
  readonly headBytes: number
}

/**
 * The request half of a transaction: the ingress side, the outbound request, and the fields that processors see and
 * write.
 */
export class RequestSide implements Side {
  readonly phase = 'request'
  readonly ingress: IngressRequest
  readonly memory: CallMemory
  readonly turnSteps: number
  readonly mask: Mask
  readonly processors: string[] = []
  readonly processorsAsync: string[] = []
  readonly errors: ErrorEntry[] = []
  outbound: OutboundRequest
  /** The ingress router's path, set once a processor has re-routed the call. */
  originalPath: string | undefined
  control: Control | undefined
  readonly #runtime: RuntimeConfig
  #fields: Fields | undefined
  #effects: ReadonlyMap<string, WriteEffect> | undefined

  constructor(runtime: RuntimeConfig, ingress: IngressRequest, { memory, headBytes }: CallOfSide) {
    this.ingress = ingress
    this.memory = memory
    this.turnSteps = headSteps(headBytes)
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
      setBothSides(this)
      this.#fields.set('control', 'null')
      const bytes = longTextBytes(this.#fields)
      if (bytes > 0) this.memory.add(bytes)
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

type ProcessorWrite = { readonly value: JsonValue; readonly processor: RowProcessor }

function effectsOn(side: RequestSide, runtime: RuntimeConfig): ReadonlyMap<string, WriteEffect> {
  return new Map([
    ...controlEffects(runtime, side),
    ['gl_path', ({ value }, processor) => reroute(runtime, side, { value, processor })],
    ['outbound_payload', ({ value }) => writePayload(side, value)],
    ['outbound_headers', ({ value }, processor) => writeHeaders(runtime, side, { value, processor })],
    ['outbound_subpath', ({ value }) => writeSubpath(side, value)],
    ['outbound_query_parameters', ({ value }) => writeQuery(side, value)],
  ])
}

function setBothSides(side: RequestSide): void {
  const { ingress, outbound, mask } = side
  const parameters = groupParameters(ingress.query, mask)
  setIngressFields(side, parameters)
  // Both sides mostly have the same query, which may be long.
  setOutboundFields(side, outbound.query === ingress.query ? parameters : groupParameters(outbound.query, mask))
}

function setIngressFields(side: RequestSide, parameters: ParameterGroups): void {
  const { fields, ingress, mask } = side
  fields.set('gl_path', quote(ingress.route.path))
  fields.set('ingress_method', quote(ingress.method))
  fields.set('ingress_subpath', quote(ingress.subpath.replace(/^\//, '')))
  fields.set('ingress_headers', headersJson(ingress.headers, mask, side.hidden))
  if (parameters.size > 0) fields.set('ingress_query_parameters', namedParametersJson(parameters))
  fields.set('ingress_payload', payloadJson(ingress.payload))
}

/** Sets every field of the outbound request. */
function setOutboundFields(side: RequestSide, parameters: ParameterGroups): void {
  const { fields, outbound, mask } = side
  fields.set('outbound_subpath', quote(outbound.shownSubpath))
  fields.set('outbound_headers', headersJson(outbound.headers, mask))
  fields.set('outbound_headers_removed', `{${outbound.removed.map((name) => `${quote(name)}:[]`).join(',')}}`)
  fields.set('outbound_headers_discarded', headersJson(outbound.discarded, mask, side.hidden))
  if (parameters.size > 0) fields.set('outbound_query_parameters', parameterMapJson(parameters))
  if (outbound.overwritten.length > 0)
    fields.set('outbound_query_parameters_overwritten', parameterMapJson(groupParameters(outbound.overwritten, mask)))
  fields.set('outbound_payload', payloadJson(outbound.payload))
  setUrlFields(fields, outbound, mask)
}

function setUrlFields(fields: Fields, outbound: OutboundRequest, mask: Mask): void {
  const { urlPath, url } = outboundUrl(outbound, mask)
  fields.set('url_path', quote(urlPath))
  fields.set('url', quote(url))
}

/**
 * Re-routes the call to another router, at most once. The outbound request is built again from the caller's request and
 * the new router, so earlier writes to `outbound_*` are lost.
 */
function reroute(runtime: RuntimeConfig, side: RequestSide, { value, processor }: ProcessorWrite): WriteResult {
  if (side.originalPath !== undefined) return { kind: 'ignored', error: 'already re-routed' }
  const path = parseWithin(value, SINGLE_VALUE)
  if (path === undefined) return { kind: 'ignored', error: 'too large: gl_path' }
  const route = typeof path === 'string' ? rerouteTarget(runtime, path, processor) : undefined
  if (route === undefined) return { kind: 'ignored', error: 'not a router to re-route to' }
  if (route.path === side.ingress.route.path) return { kind: 'ignored' }
  side.originalPath = side.ingress.route.path
  side.outbound = buildOutbound(runtime, side.ingress, route)
  for (const suffix of ['', '_overwritten', '_discarded']) side.fields.delete(`outbound_query_parameters${suffix}`)
  // A processor may have masked fields of the caller's side, so that only the outbound fields are set again.
  setOutboundFields(side, groupParameters(side.outbound.query, side.mask))
  side.fields.set('original_gl_path', quote(side.originalPath))
  return { kind: 'taken', json: quote(route.path) }
}

function rerouteTarget(runtime: RuntimeConfig, path: string, processor: RowProcessor): Route | undefined {
  if (processor.rerouteTo !== undefined && !processor.rerouteTo.has(path)) return undefined
  const route = runtime.routes.byPath.get(path)
  return route === 'inactive' ? undefined : route
}

function writePayload(side: RequestSide, { json }: JsonValue): WriteResult {
  side.outbound = { ...side.outbound, payload: jsonPayload(json), payloadWritten: true }
  setHeaders(side, side.outbound.headers)
  return { kind: 'taken', json }
}

function writeHeaders(runtime: RuntimeConfig, side: RequestSide, { value, processor }: ProcessorWrite): WriteResult {
  const map = parseMap(value, side.memory)
  if (map === undefined) return { kind: 'ignored', error: 'too large: outbound_headers' }
  const written = mergeHeaders(map, side.outbound.headers, (lower) => {
    const isOurs = lower === runtime.sessionHeader.lower || lower === 'content-encoding'
    return isOurs || side.mask.masksHeader(lower) || hopByHop.has(lower)
  })
  if (written === undefined) return { kind: 'ignored', error: 'not a map: outbound_headers' }
  for (const details of written.errors) side.errors.push({ name: processor.name, details })
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

function writeSubpath(side: RequestSide, value: JsonValue): WriteResult {
  const path = parseWithin(value, SINGLE_VALUE)
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

function writeQuery(side: RequestSide, value: JsonValue): WriteResult {
  const map = parseMap(value, side.memory)
  if (map === undefined) return { kind: 'ignored', error: 'too large: outbound_query_parameters' }
  if (typeof map !== 'object' || map === null || Array.isArray(map)) {
    return { kind: 'ignored', error: 'not a map: outbound_query_parameters' }
  }
  const query: QueryParameter[] = side.outbound.query.filter((parameter) => side.mask.masksParameter(parameter.name))
  for (const [name, values] of Object.entries(map)) {
    const list = stringList(values)
    if (name === MASKED || side.mask.masksParameter(name) || list?.includes(MASKED)) continue
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
  if (discarded.length > 0)
    fields.set('outbound_query_parameters_discarded', parameterMapJson(groupParameters(discarded, mask)))
  setUrlFields(fields, side.outbound, mask)
  return { kind: 'taken', json: parameterMapJson(groupParameters(query, mask)) }
}

/** encodeURIComponent throws on lone surrogates. */
function isWellFormed(name: string, values: readonly string[]): boolean {
  return name.isWellFormed() && values.every((value) => value.isWellFormed())
}
