import { isJsonObject } from '@llm-gateway/protocol'
import { countText, type TextCount } from './count-text.ts'
import { ENCODING_NAMES, type Encoding, type EncodingName, loadEncoding } from './encodings.ts'

export type CountRequest = { readonly texts: readonly string[]; readonly encodings: readonly EncodingName[] }
/** The sums over all texts, one for each of the request's encodings, in their order. */
export type CountReply = readonly TextCount[]

/** Makes a function that counts with encodings, which are loaded at their first use and kept. */
export function createCounting(): (request: CountRequest) => Promise<CountReply> {
  const loaded = new Map<EncodingName, Encoding>()
  const encodingOf = async (name: EncodingName): Promise<Encoding> => {
    const encoding = loaded.get(name) ?? (await loadEncoding(name))
    loaded.set(name, encoding)
    return encoding
  }
  return async ({ texts, encodings }) => {
    const counts: TextCount[] = []
    for (const name of encodings) counts.push(sum(texts, await encodingOf(name)))
    return counts
  }
}

/** Returns whether a value received by the thread is a request. */
export function isCountRequest(value: unknown): value is CountRequest {
  if (!isJsonObject(value) || !Array.isArray(value.texts) || !Array.isArray(value.encodings)) return false
  const isEncoding = (name: unknown): boolean => ENCODING_NAMES.some((known) => known === name)
  return value.texts.every((text) => typeof text === 'string') && value.encodings.every(isEncoding)
}

function sum(texts: readonly string[], encoding: Encoding): TextCount {
  const counts = texts.map((text) => countText(text, encoding))
  return {
    tokens: counts.reduce((total, { tokens }) => total + tokens, 0),
    estimated: counts.some(({ estimated }) => estimated),
  }
}
