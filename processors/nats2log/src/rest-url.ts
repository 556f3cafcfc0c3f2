import type { SinkConfig } from '@llm-gateway/conf'

type RestApiWriter = NonNullable<SinkConfig['rest_api_writer']>

/** `url`, `port` (over the url's own) and `endpoint` as one address, one slash at the seam; undefined where it isn't http(s). */
export function restUrl({ url, port, endpoint }: Pick<RestApiWriter, 'url' | 'port' | 'endpoint'>): URL | undefined {
  const base = URL.parse(url)
  if (base === null || (base.protocol !== 'http:' && base.protocol !== 'https:')) return undefined
  if (port !== undefined && port > 0) base.port = String(port)
  const path = base.pathname.replace(/\/$/, '')
  const rest = endpoint.replace(/^\//, '')
  return URL.parse(rest === '' ? base.href : `${base.origin}${path}/${rest}`) ?? undefined
}
