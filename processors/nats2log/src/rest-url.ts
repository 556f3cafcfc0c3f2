import type { SinkConfig } from '@llm-gateway/conf'

type RestApiWriter = NonNullable<SinkConfig['rest_api_writer']>

/**
 * Joins `url`, `port` (which overrides the url's own) and `endpoint` with one slash; undefined when the address isn't
 * http(s).
 */
export function restUrl({ url, port, endpoint }: Pick<RestApiWriter, 'url' | 'port' | 'endpoint'>): URL | undefined {
  const base = URL.parse(url)
  if (base === null || (base.protocol !== 'http:' && base.protocol !== 'https:')) return undefined
  if (port !== undefined && port > 0) base.port = String(port)
  const path = base.pathname.replace(/\/$/, '')
  const rest = endpoint.replace(/^\//, '')
  return URL.parse(rest === '' ? base.href : `${base.origin}${path}/${rest}`) ?? undefined
}
