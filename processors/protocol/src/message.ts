import { isJsonObject, parseJson } from './json.ts'

/**
 * Reads a message of the gateway to a processor: the selected first-level fields of `request` or `response`
 * (docs/reference/bus.md#request). Undefined where the bytes are not a JSON object. Never throws.
 */
export function decodeMessage(bytes: Uint8Array): ReadonlyMap<string, unknown> | undefined {
  const value = parseJson(bytes)
  return isJsonObject(value) ? new Map(Object.entries(value)) : undefined
}
