import { createHash } from 'node:crypto'
import type { References } from './env-reference.ts'
import { isObject } from './json-object.ts'
import { countParameters, filledParameters, isEndpoint, isHttpUrl } from './outbound-address.ts'
import { boolean } from './primitives.ts'
import { type ActiveRouter, type CheckedRouter, routerEntrySchema } from './router-entry.ts'
import { checkHeaderName, checkOutboundHeaderName, type RejectedField, RouterFields } from './router-fields.ts'
import { acceptablePath, isRouterPath, MAX_PATH_CHARACTERS } from './router-path.ts'
import { shownEndpointPath, shownUrlPath } from './shown-path.ts'
import { unknownKeys } from './unknown-keys.ts'

/** The most characters of an address or an endpoint, and query parameters of both: each call sends and records them. */
const MAX_ADDRESS_CHARACTERS = 8 * 1024
const MAX_PARAMETERS = 256

export type RouterCheck = {
  /** undefined where the path itself is unusable. */
  readonly router: CheckedRouter | undefined
  readonly rejected: readonly RejectedField[]
  readonly unknownKeys: readonly string[]
  /** The referenced names; none for a disabled router. */
  readonly referencedNames: ReadonlySet<string>
  /** The router's part in the size of all routers. */
  readonly size: number
}

/**
 * The characters for which a router, and each name and value of its headers and query parameters, count beside their
 * texts. In proportion to characters they take that much memory.
 */
const ROUTER_SIZE = 512
const PART_SIZE = 96

/** Returns the size of a router that keeps only its path. */
export function inactiveRouterSize(path: string): number {
  return ROUTER_SIZE + path.length
}

/** Checks one router on its own (docs/reference/configuration-rules.md#rejection). */
export function checkRouter(entry: unknown, index: number, references: References): RouterCheck {
  const fields = new RouterFields(references)
  const result = (router: CheckedRouter | undefined, unknown: readonly string[] = []): RouterCheck => {
    const { rejected, names, characters, headerParts } = fields
    // An inactive router keeps nothing but its path, so that its texts take no room from other routers.
    const size =
      router?.kind === 'active'
        ? ROUTER_SIZE + characters + PART_SIZE * (headerParts + parametersOf(router))
        : inactiveRouterSize(router?.path ?? '')
    return { router, rejected, unknownKeys: unknown, referencedNames: names, size }
  }
  const written = isObject(entry) ? entry : {}
  const path = readPath(written, fields)
  if (path === undefined) return result(undefined)
  const inactive = { index, path, entryHash: entryHash(entry) }
  if (fields.isRejected(['path'])) return result({ kind: 'rejected', ...inactive })
  if (readSwitch(written, 'disabled', fields)) return result({ kind: 'disabled', ...inactive })
  const internal = readSwitch(written, 'internal', fields)
  const { ingress, outbound: writtenOutbound } = written
  const parsed = routerEntrySchema.safeParse({ path, ingress, outbound: writtenOutbound, disabled: false, internal })
  if (!parsed.success) {
    for (const { path } of parsed.error.issues) fields.reject(path.map(String), 'router:')
    return result({ kind: 'rejected', ...inactive })
  }
  const ingressHeaders = fields.headers(['ingress', 'headers'], parsed.data.ingress.headers, checkHeaderName)
  const outbound = readOutbound(parsed.data.outbound, fields, references)
  const unknown = unknownKeys(written, parsed.data, `gl_config.routers[${index}]`)
  const router: CheckedRouter =
    fields.rejected.length > 0
      ? { kind: 'rejected', ...inactive }
      : { kind: 'active', index, path, internal, ingressHeaders, outbound, entryHash: inactive.entryHash }
  return result(router, unknown)
}

/**
 * Returns the SHA-256 of the parsed entry, with unexpanded references and keys in their order
 * (docs/reference/configuration-rules.md#status).
 */
function entryHash(entry: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(entry) ?? '')
    .digest('hex')
}

/**
 * Returns undefined for an unusable path. A path that is too long or too deep is rejected, and its first segments are
 * returned: the router keeps them, so that its callers reach no router with a shorter path.
 */
function readPath({ path = '' }: Written, fields: RouterFields): string | undefined {
  const text = typeof path === 'string' ? fields.text(['path'], path, checkPath) : undefined
  if (text === undefined) fields.reject(['path'], 'router:')
  const kept = acceptablePath(text ?? '')
  const isUsable = !fields.isRejected(['path']) || (text !== undefined && isTooLarge(text) && isRouterPath(kept))
  return isUsable ? kept : undefined
}

function checkPath(text: string): string | undefined {
  if (text === '') return 'required:'
  return isRouterPath(text) && !isTooLarge(text) ? undefined : 'router:'
}

function isTooLarge(path: string): boolean {
  return path.length > MAX_PATH_CHARACTERS || path !== acceptablePath(path)
}

/** Reads a switch; any value other than true or false rejects the router, so that a typing error can't open it. */
function readSwitch(written: Written, key: 'disabled' | 'internal', fields: RouterFields): boolean {
  const value = Object.hasOwn(written, key) ? written[key] : false
  const read = boolean.safeParse(typeof value === 'string' ? fields.text([key], value, () => undefined) : value)
  if (!read.success && !fields.isRejected([key])) fields.reject([key], 'router:')
  return read.success && read.data
}

function readOutbound({ url, endpoint, headers }: WrittenOutbound, fields: RouterFields, references: References) {
  const readUrl = fields.text(['outbound', 'url'], url, checkUrl)
  const readEndpoint = fields.text(['outbound', 'endpoint'], endpoint, checkEndpoint)
  if (countParameters(readUrl) + countParameters(readEndpoint) > MAX_PARAMETERS)
    fields.reject(['outbound', readEndpoint === '' ? 'url' : 'endpoint'], 'router:')
  return {
    url: readUrl,
    endpoint: readEndpoint,
    headers: fields.headers(['outbound', 'headers'], headers, checkOutboundHeaderName),
    filledParameters: [...filledParameters(url, readUrl), ...filledParameters(endpoint, readEndpoint)],
    shownUrlPath: shownUrlPath(url, readUrl, references),
    shownEndpointPath: shownEndpointPath(endpoint, readEndpoint, references),
  }
}

function parametersOf({ outbound }: ActiveRouter): number {
  return countParameters(outbound.url) + countParameters(outbound.endpoint)
}

function checkUrl(text: string): string | undefined {
  if (text === '') return 'required:'
  if (text.length > MAX_ADDRESS_CHARACTERS) return 'router:'
  return isHttpUrl(text) ? undefined : 'http_url:'
}

function checkEndpoint(text: string): string | undefined {
  if (text.length > MAX_ADDRESS_CHARACTERS) return 'router:'
  return isEndpoint(text) ? undefined : 'endpoint:'
}

type Written = Readonly<Record<string, unknown>>
type WrittenOutbound = {
  readonly url: string
  readonly endpoint: string
  readonly headers: Readonly<Record<string, readonly string[]>>
}
