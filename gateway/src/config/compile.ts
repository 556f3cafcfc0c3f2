import { type ActiveRouter, type CheckedGlConfig, type GlSettings, type RouterHeader, rawPath } from '@llm-gateway/conf'
import { MASKED } from '@llm-gateway/protocol'
import { basicAuthorization } from '../http/basic-authorization.ts'
import { canonicalName, Header } from '../http/headers.ts'
import { decodeParameter, parseQuery, type QueryParameter } from '../http/query.ts'
import type { Slice } from '../work/work-queue.ts'
import { addressSecrets } from './address-secrets.ts'
import { compileRows, fieldFilter } from './compile-rows.ts'
import type { HeaderCheck, HeaderName, Route, RouteTable, RouteTarget, RuntimeConfig } from './runtime-config.ts'

/**
 * Compiles a checked file for the request path. Pure; rejected and disabled routers stay in the table as inactive, so
 * that their callers get 404.
 */
export function compile(checked: CheckedGlConfig, digest: string): RuntimeConfig {
  const steps = compiling(checked, digest)
  let step = steps.next()
  while (step.done !== true) step = steps.next()
  return step.value
}

/** Compiles in slices, between which calls run, a configuration of any size. */
export async function compileInSlices(checked: CheckedGlConfig, digest: string, slice: Slice): Promise<RuntimeConfig> {
  const steps = compiling(checked, digest)
  let step = steps.next()
  while (step.done !== true) {
    if (slice.isDue) await slice.next()
    step = steps.next()
  }
  return step.value
}

/** Yields after each router, and after a small part of the rows. */
function* compiling(checked: CheckedGlConfig, digest: string): Generator<void, RuntimeConfig, undefined> {
  const { settings } = checked
  const maskedHeaders = lowerCaseSet(settings.masked_headers)
  const maskedParameters = lowerCaseSet(settings.masked_query_parameters)
  const secrets = {
    secretHeaders: new Set(maskedHeaders),
    secretQueryParameters: new Set(maskedParameters),
    hiddenQueryParameters: new Set<string>(),
  }
  const routes = yield* compileRoutes(checked, { maskedHeaders, maskedParameters }, secrets)
  return {
    digest,
    gatewayId: settings.gateway_id,
    sessionHeader: headerName(settings.session_id_header),
    maskedHeaders,
    ...secrets,
    removeHeaders: lowerCaseSet(settings.remove_headers),
    logUnauthorized: settings.log_unauthorized,
    limits: compileLimits(settings.limits),
    drain: { delayMs: settings.limits.drain_delay_ms, limitMs: settings.limits.drain_ms },
    outboundDeny: settings.outbound_deny,
    routes,
    requestRows: yield* compileRows(settings.request.processors, routes),
    responseRows: yield* compileRows(settings.response.processors, routes),
    recordFields: {
      request: fieldFilter(settings.logger.request.fields_include, settings.logger.request.fields_exclude),
      response: fieldFilter(settings.logger.response.fields_include, settings.logger.response.fields_exclude),
    },
  }
}

/** The masked names of the settings, in lower case. */
type MaskedNames = { readonly maskedHeaders: ReadonlySet<string>; readonly maskedParameters: ReadonlySet<string> }

/** Names that are masked on every router, since a caller may send the key of one router to another. */
type Secrets = {
  readonly secretHeaders: Set<string>
  readonly secretQueryParameters: Set<string>
  readonly hiddenQueryParameters: Set<string>
}

function compileLimits(limits: GlSettings['limits']): RuntimeConfig['limits'] {
  return {
    requestBytes: limits.request_bytes,
    responseBytes: limits.response_bytes,
    requestIdleTimeoutMs: limits.request_idle_timeout_ms,
    requestBodyTimeoutMs: limits.request_body_timeout_ms,
    jsonDepth: limits.json_depth,
    outboundHeadersTimeoutMs: limits.outbound_headers_timeout_ms,
    outboundSilenceTimeoutMs: limits.outbound_timeout_ms,
  }
}

function* compileRoutes(
  { routers }: CheckedGlConfig,
  masked: MaskedNames,
  secrets: Secrets,
): Generator<void, RouteTable, undefined> {
  const byPath = new Map<string, Route | 'inactive'>()
  const lengths = new Set<number>()
  let depth = 1
  for (const router of routers) {
    lengths.add(router.path.length)
    depth = Math.max(depth, router.path.split('/').length - 1)
    if (router.kind === 'active') {
      const route = compileRoute(router, masked)
      byPath.set(router.path, route)
      addSecrets(secrets, router, route)
    } else byPath.set(router.path, 'inactive')
    yield
  }
  return { byPath, maxDepth: depth, lengths }
}

/** Adds the names that a router fills from references; user-info leaves as Authorization. */
function addSecrets(secrets: Secrets, router: ActiveRouter, route: Route): void {
  const { secretHeaders, secretQueryParameters, hiddenQueryParameters } = secrets
  const { ingressHeaders, outbound } = router
  for (const { name, secret } of [...ingressHeaders, ...outbound.headers])
    if (secret) secretHeaders.add(name.toLowerCase())
  for (const { rawName, isNameFilled } of outbound.filledParameters) {
    const name = decodeParameter(rawName).toLowerCase()
    // A name of the settings is no secret.
    if (isNameFilled && !secretQueryParameters.has(name)) hiddenQueryParameters.add(name)
    secretQueryParameters.add(name)
  }
  if (route.target.hasUserInfo) secretHeaders.add('authorization')
}

function compileRoute(router: ActiveRouter, masked: MaskedNames): Route {
  const target = compileTarget(router, masked)
  return {
    path: router.path,
    internal: router.internal,
    ingress: router.ingressHeaders.map(headerCheck),
    ingressNames: lowerCaseSet(router.ingressHeaders.map((header) => header.name)),
    target,
    characters: charactersOf(router),
  }
}

function charactersOf({ ingressHeaders, outbound: { url, endpoint, headers } }: ActiveRouter): number {
  const lines = [...ingressHeaders, ...headers].flatMap(({ name, values }) => [name, ...values])
  return lines.reduce((sum, text) => sum + text.length, url.length + endpoint.length)
}

function compileTarget(router: ActiveRouter, { maskedHeaders, maskedParameters }: MaskedNames): RouteTarget {
  const url = new URL(router.outbound.url)
  const endpoint = splitQuery(router.outbound.endpoint)
  const headers = router.outbound.headers.map(outboundHeader)
  const endpointPath = router.outbound.endpoint === '' ? undefined : endpoint.path.replace(/^\//, '')
  const authorization = basicAuthorization(url)
  const names = lowerCaseSet(headers.map((header) => header.lower))
  // Authorization is masked by default.
  if (authorization !== undefined && !names.has('authorization')) {
    headers.push(new Header('authorization', [authorization]))
  }
  const paths = {
    urlPath: rawPath(router.outbound.url),
    shownUrlPath: shownPath(router.outbound.shownUrlPath) ?? rawPath(router.outbound.url),
    endpointPath,
    shownEndpointPath: shownPath(router.outbound.shownEndpointPath)?.replace(/^\//, '') ?? endpointPath,
  }
  const query = overlay(parseQuery(splitQuery(router.outbound.url).query), parseQuery(endpoint.query))
  return {
    kind: router.path === '/echo/' ? 'echo' : 'http',
    origin: url.origin,
    ...paths,
    query,
    addressSecrets: addressSecrets(router.outbound.filledParameters, { ...paths, query, maskedParameters }),
    headers,
    hasUserInfo: authorization !== undefined,
    headerNames: lowerCaseSet(headers.map((header) => header.lower)),
    setsMaskedHeader:
      authorization !== undefined ||
      router.outbound.headers.some((header) => header.secret || maskedHeaders.has(header.name.toLowerCase())),
  }
}

function shownPath(segments: readonly (string | null)[] | undefined): string | undefined {
  return segments?.map((segment) => segment ?? MASKED).join('/')
}

function splitQuery(text: string): { path: string; query: string } {
  const at = text.indexOf('?')
  return at === -1 ? { path: text, query: '' } : { path: text.slice(0, at), query: text.slice(at + 1) }
}

function overlay(under: readonly QueryParameter[], over: readonly QueryParameter[]): readonly QueryParameter[] {
  const names = new Set(over.map((parameter) => parameter.name))
  return [...under.filter((parameter) => !names.has(parameter.name)), ...over]
}

function headerCheck(header: RouterHeader): HeaderCheck {
  const name = headerName(header.name)
  // Only a literal in the file has this meaning: a referenced key may happen to have the same text.
  if (!header.secret && header.values.length === 1 && header.values[0] === 'regex:.+')
    return { ...name, kind: 'present' }
  if (name.lower === 'content-type') return { ...name, kind: 'media-type', values: header.values }
  return { ...name, kind: 'equal', text: header.values.join('\n') }
}

function outboundHeader(header: RouterHeader): Header {
  return new Header(header.name.toLowerCase(), header.values)
}

function headerName(name: string): HeaderName {
  const lower = name.toLowerCase()
  return { canonical: canonicalName(lower), lower }
}

/** Most routers have no ingress headers, and an empty set takes 200 bytes. */
const NONE: ReadonlySet<string> = new Set()

function lowerCaseSet(names: readonly string[]): ReadonlySet<string> {
  if (names.length === 0) return NONE
  return new Set(names.map((name) => name.toLowerCase()))
}
