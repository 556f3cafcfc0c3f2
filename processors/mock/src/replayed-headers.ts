import { isJsonObject, MASKED } from '@llm-gateway/protocol'

/** Header values by name, as in the record. */
export type Headers = Readonly<Record<string, readonly string[]>>

/** Headers of one connection or one body (RFC 9110, 7.6.1 and 8.4); the gateway sets them for the replay. */
const NOT_REPLAYED: ReadonlySet<string> = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/**
 * Returns the headers that a replay carries: all but masked headers, the session header, and headers of one connection
 * or body (docs/reference/processors.md#mock).
 */
export function replayedHeaders(value: unknown, sessionHeader: string): Headers {
  if (!isJsonObject(value)) return {}
  const session = sessionHeader.toLowerCase()
  const kept = Object.entries(value).flatMap(([name, values]): [string, readonly string[]][] => {
    const lower = name.toLowerCase()
    const texts = textsOf(values)
    return texts === undefined || lower === session || NOT_REPLAYED.has(lower) ? [] : [[name, texts]]
  })
  return Object.fromEntries(kept)
}

/** Returns a header's values when they are an array of strings, none of them masked; otherwise undefined. */
export function textsOf(values: unknown): readonly string[] | undefined {
  if (!Array.isArray(values)) return undefined
  const texts = values.filter((entry) => typeof entry === 'string' && entry !== MASKED)
  return texts.length === values.length && texts.length > 0 ? texts : undefined
}
