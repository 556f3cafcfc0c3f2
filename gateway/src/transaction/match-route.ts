import type { Route, RouteTable } from '../config/runtime-config.ts'
import type { ErrorCode } from '../errors.ts'

export type RouteMatch =
  | { readonly kind: 'matched'; readonly route: Route; readonly subpath: string; readonly query: string }
  | { readonly kind: 'refused'; readonly code: ErrorCode; readonly message?: string }

/**
 * Finds the router with the longest path that is a prefix of the raw request path (docs/reference/http.md#paths).
 * `subpath` is the raw remainder, `query` the raw query without `?`.
 */
export function matchRoute(routes: RouteTable, target: string): RouteMatch {
  const { path, query } = splitTarget(target)
  if (!isAcceptablePath(path)) return { kind: 'refused', code: 'BAD_PATH' }
  const lacksSlash = !path.endsWith('/') && routes.byPath.has(`${path}/`)
  if (lacksSlash) return refusedWithoutSlash(reachedRoute(routes, `${path}/`))
  const route = reachedRoute(routes, path)
  if (route === undefined) return { kind: 'refused', code: 'ROUTER_NOT_FOUND' }
  return { kind: 'matched', route, subpath: path.slice(route.path.length), query }
}

/** The hint is left out for a router that callers don't reach, because it would tell them that the router exists. */
function refusedWithoutSlash(route: Route | undefined): RouteMatch {
  const refused = { kind: 'refused', code: 'ROUTER_NOT_FOUND' } as const
  return route === undefined ? refused : { ...refused, message: 'This path lacks its last slash.' }
}

/**
 * Returns the path of the router that a target names; empty where no call reaches one. The path isn't checked, since the
 * check of 8 KiB of escapes takes half a millisecond, and hundreds of connections may ask in one turn.
 */
export function routerOf(routes: RouteTable, target: string): string {
  return reachedRoute(routes, splitTarget(target).path)?.path ?? ''
}

/**
 * Returns false for a path or sub-path that has a `#` or, decoded once, a dot segment, NUL, CR, LF or a broken escape.
 */
export function isAcceptablePath(path: string): boolean {
  if (!/[%\\#\0\r\n]|(^|\/)\./.test(path)) return true
  if (path.includes('#')) return false
  const decoded = decodeOnce(path)
  if (decoded === undefined || /[\0\r\n]/.test(decoded)) return false
  return !decoded.split(/[/\\]/).some((segment) => segment === '.' || segment === '..')
}

function decodeOnce(path: string): string | undefined {
  if (/%(?![0-9A-Fa-f]{2})/.test(path)) return undefined
  // Decodes byte by byte: an escape that isn't UTF-8 is valid too, and the characters looked for are ASCII.
  return path.replace(/%([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}

function splitTarget(target: string): { path: string; query: string } {
  const origin = target.startsWith('/') ? target : withoutAuthority(target)
  const at = origin.indexOf('?')
  return at === -1 ? { path: origin, query: '' } : { path: origin.slice(0, at), query: origin.slice(at + 1) }
}

/** Removes scheme and authority of an absolute-form target. */
function withoutAuthority(target: string): string {
  const scheme = /^[A-Za-z][A-Za-z0-9+.-]*:\/\//.exec(target)
  if (scheme === null) return target
  const rest = target.slice(scheme[0].length)
  const end = rest.search(/[/?]/)
  if (end === -1) return '/'
  return rest[end] === '/' ? rest.slice(end) : `/${rest.slice(end)}`
}

/**
 * Returns the router that callers reach by a path; an inactive or internal router hides the routers with shorter paths.
 */
function reachedRoute(routes: RouteTable, path: string): Route | undefined {
  const route = longestPrefix(routes, path)
  return route === undefined || route === 'inactive' || route.internal ? undefined : route
}

function longestPrefix(routes: RouteTable, path: string): Route | 'inactive' | undefined {
  // The deepest router bounds the search, so that a path of thousands of slashes costs no more than a short path.
  const ends: number[] = []
  let at = -1
  for (let depth = 0; depth < routes.maxDepth; depth += 1) {
    at = path.indexOf('/', at + 1)
    if (at === -1) break
    if (routes.lengths.has(at + 1)) ends.push(at + 1)
  }
  for (let i = ends.length - 1; i >= 0; i -= 1) {
    const route = routes.byPath.get(path.slice(0, ends[i]))
    if (route !== undefined) return route
  }
  return undefined
}
