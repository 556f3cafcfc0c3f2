import type { RouteTable } from '../config/runtime-config.ts'
import type { FirstHead } from '../http/first-head.ts'
import { checkIngress } from './check-ingress.ts'
import { routerOf } from './match-route.ts'

/**
 * Returns the path of the router that a new connection's first request names, where the request has the router's
 * headers; empty otherwise. Content-Type isn't asked for, since it shows nobody's right to call.
 */
export function admittingRouter(routes: RouteTable, head: FirstHead): string {
  const path = routerOf(routes, head.target)
  const route = routes.byPath.get(path)
  if (route === undefined || route === 'inactive') return ''
  if (route.ingress.length === 0) return path
  const headers = head.headersOf(new Set(route.ingress.map(({ lower }) => lower)))
  return checkIngress(route, headers, false).kind === 'admitted' ? path : ''
}
