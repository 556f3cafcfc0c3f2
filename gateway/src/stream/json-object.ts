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
