import { isJsonObject, parseJson } from './json.ts'

/**
 * Reads what the gateway sent to a processor: the selected first-level fields of `request` or `response` (wire, 2).
 * Undefined where the bytes aren't a JSON object. Never throws.
 */
export function decodeMessage(bytes: Uint8Array): ReadonlyMap<string, unknown> | undefined {
  const value = parseJson(bytes)
  return isJsonObject(value) ? new Map(Object.entries(value)) : undefined
}
