import { isJsonObject, parseOptionalJson } from './json.ts'

export type Reply =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'fields'; readonly fields: ReadonlyMap<string, unknown> }
  | { readonly kind: 'not an object' }

/**
 * Reads a processor's answer: no bytes, white space and `{}` mean there was nothing to do (wire, 2).
 * Fields come as a Map, so that a field named `__proto__` is a key like any other. Never throws.
 */
export function decodeReply(bytes: Uint8Array): Reply {
  if (bytes.length === 0) return { kind: 'nothing' }
  const { blank, value } = parseOptionalJson(bytes)
  if (blank) return { kind: 'nothing' }
  if (!isJsonObject(value)) return { kind: 'not an object' }
  const fields = new Map(Object.entries(value))
  return fields.size === 0 ? { kind: 'nothing' } : { kind: 'fields', fields }
}
