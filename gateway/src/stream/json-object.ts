import { JsonShape } from './json-shape.ts'

/** A JSON object from outside: its own keys are data, `__proto__` included, so copies go through a Map or a spread, never `target[key] =`. */
export type JsonObject = Readonly<Record<string, unknown>>

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The value of a JSON text; undefined when it is no JSON, or deeper or of more values than could safely be written again. */
export function parseJson(bytes: Buffer): unknown {
  const shape = new JsonShape()
  shape.look(bytes, 0, bytes.length)
  if (shape.isBeyondBounds) return undefined
  try {
    return JSON.parse(bytes.toString())
  } catch {
    return undefined
  }
}
