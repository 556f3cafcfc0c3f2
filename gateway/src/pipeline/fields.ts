import type { FieldFilter } from '../config/runtime-config.ts'
import { selects } from '../config/runtime-config.ts'
import { type JsonText, OversizedText } from '../transaction/payload.ts'

/** The first-level fields of a record's request or response object, as JSON text. */
export type Fields = Map<string, JsonText>

/** The characters of a field's text from which it counts in the call's memory, beside the head that it repeats. */
const LONG_TEXT = 4 * 1024

/** Returns the bytes of the fields' long texts; payloads count as the bytes that came. */
export function longTextBytes(fields: Fields): number {
  let bytes = 0
  for (const text of fields.values()) if (typeof text === 'string' && text.length >= LONG_TEXT) bytes += text.length
  return bytes
}

/** Returns false for a missing field and for one that is null (docs/reference/bus.md#reply). */
export function hasValue(fields: Fields, name: string): boolean {
  const text = fields.get(name)
  if (text === undefined || typeof text === 'string') return text !== undefined && text !== 'null'
  return text instanceof OversizedText || !isNull(text)
}

/** Returns true for null, the only JSON value that begins with n; a caller's JSON may begin with white space. */
function isNull(json: Uint8Array): boolean {
  let at = 0
  // A loop without callbacks, since there may be 32 MiB of white space.
  while ((json[at] ?? 0x6e) <= 0x20) at += 1
  return json[at] === 0x6e
}

/** Encodes the fields that a filter selects as one JSON object; returns undefined where it selects none. */
export function encodeSelected(fields: Fields, filter: FieldFilter): Buffer | 'too large' | undefined {
  const parts: MessagePart[] = []
  for (const [name, text] of fields) {
    if (!selects(filter, name)) continue
    if (text instanceof OversizedText) return 'too large'
    parts.push(`${parts.length === 0 ? '{' : ','}${JSON.stringify(name)}:`, text)
  }
  if (parts.length === 0) return undefined
  parts.push('}')
  return joinJson(parts)
}

type MessagePart = string | Uint8Array

/**
 * Joins pieces of JSON text in one allocation: payload bytes are copied once, neighbouring strings are encoded
 * together.
 */
function joinJson(parts: readonly MessagePart[]): Buffer {
  const joined: MessagePart[] = []
  let run = ''
  for (const part of parts) {
    if (typeof part === 'string') run += part
    else {
      if (run !== '') joined.push(run)
      joined.push(part)
      run = ''
    }
  }
  if (run !== '') joined.push(run)
  if (joined.length === 1 && typeof joined[0] === 'string') return Buffer.from(joined[0])
  return concat(joined)
}

function concat(parts: readonly MessagePart[]): Buffer {
  const lengths = parts.map((part) => (typeof part === 'string' ? Buffer.byteLength(part) : part.length))
  const bytes = Buffer.allocUnsafe(lengths.reduce((sum, length) => sum + length, 0))
  let at = 0
  parts.forEach((part, i) => {
    if (typeof part === 'string') bytes.write(part, at)
    else bytes.set(part, at)
    at += lengths[i] ?? 0
  })
  return bytes
}
