import type { JsonChunk } from './json-parts.ts'
import { JsonShape } from './json-shape.ts'

/**
 * A JSON object from outside. Its keys are data, `__proto__` included: copies use a Map or a spread, never `target[key]
 * =`.
 */
export type JsonObject = Readonly<Record<string, unknown>>

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Parses a JSON text; returns undefined for invalid JSON, and for depth or values beyond the bounds of JsonShape. */
export function parseJson(bytes: Buffer): unknown {
  const shape = new JsonShape()
  shape.scan(bytes, 0, bytes.length)
  if (shape.isBeyondBounds) return undefined
  try {
    return JSON.parse(bytes.toString())
  } catch {
    return undefined
  }
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const SPACES: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d])
/** A longer text stays bytes, outside of V8's heap. */
const LONGEST_STRING = 16 * 1024

/**
 * Returns a valid JSON text without the white space outside its strings. Numbers and the order of keys stay as they are:
 * parsing and encoding the text would round 64-bit ids.
 */
export function withoutSpaces(json: Buffer): JsonChunk {
  const compact = Buffer.allocUnsafeSlow(json.length)
  let length = 0
  let isInString = false
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at] ?? 0
    if (!isInString && SPACES.has(byte)) continue
    compact[length] = byte
    length += 1
    if (byte === QUOTE) isInString = !isInString
    if (byte !== BACKSLASH) continue
    at += 1
    compact[length] = json[at] ?? 0
    length += 1
  }
  return length > LONGEST_STRING ? compact.subarray(0, length) : compact.toString('utf8', 0, length)
}
