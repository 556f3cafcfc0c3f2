import { basicAuthorization } from '../http/basic-authorization.ts'
import { Header } from '../http/headers.ts'
import type { DenyList } from './deny-list.ts'
import type { ProxyChoice } from './proxy-choice.ts'
import type { UpstreamRequest } from './upstream.ts'

type ProxyRules = { readonly proxyFor: ProxyChoice | undefined; readonly deny: DenyList | undefined }

/** Returns a plain http request in a proxy's form: with an absolute target and the proxy's authorization. */
export function proxiedRequest(request: UpstreamRequest, { proxyFor, deny }: ProxyRules): UpstreamRequest {
  if (proxyFor === undefined || request.origin.startsWith('https:') || needsTunnel('http:', deny)) return request
  const proxy = proxyFor(new URL(request.origin))
  if (proxy === undefined) return request
  const headers = new Map(request.headers)
  const authorization = basicAuthorization(proxy)
  if (authorization !== undefined)
    headers.set('proxy-authorization', new Header('proxy-authorization', [authorization]))
  return { ...request, path: request.origin + request.path, headers }
}

/** Returns true where a tunnel is needed: for https, and for http where the proxy must connect to a checked address. */
export function needsTunnel(protocol: string, deny: DenyList | undefined): boolean {
  return protocol === 'https:' || deny !== undefined
}
