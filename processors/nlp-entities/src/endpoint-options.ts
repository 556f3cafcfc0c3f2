import { SettingsError } from '@llm-gateway/sdk'
import type { EndpointOptions } from './endpoint-recognizer.ts'
import type { NlpEntitiesSettings } from './settings.ts'

type EndpointSettings = NonNullable<NlpEntitiesSettings['endpoint']>

/** Checks an endpoint's settings; throws a SettingsError without any value. */
export function endpointOptions(settings: EndpointSettings): Omit<EndpointOptions, 'logger'> {
  if (!isHttpUrl(settings.url)) throw new SettingsError({ 'endpoint.url': 'http_url:' })
  const headers = new Headers()
  for (const [name, value] of Object.entries(settings.headers)) {
    if (!put(headers, name, value)) throw new SettingsError({ 'endpoint.headers': 'header:' })
  }
  if (!headers.has('Content-Type')) headers.set('Content-Type', 'application/json')
  return { url: settings.url, headers, timeoutMs: settings.timeout_ms }
}

/** Refuses a name or a password in the URL; credentials belong in the headers. */
function isHttpUrl(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
}

function put(headers: Headers, name: string, value: string): boolean {
  try {
    headers.set(name, value)
    return true
  } catch (error) {
    if (error instanceof TypeError) return false
    throw error
  }
}
