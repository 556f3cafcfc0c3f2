import { z } from 'zod'

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }
export type JsonObject = { readonly [key: string]: Json }

/** Bounds that zod writes for every integer and that limit nothing. */
const UNBOUNDED: readonly Json[] = [Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER]

/**
 * Turns a zod schema into the structural OpenAPI v3 schema of a CRD. Fields with a default are optional, since people
 * may leave them out. Keys of a map have no schema there: a CEL rule in the schema's meta judges them.
 */
export function structuralSchema(schema: z.ZodType): JsonObject {
  const generated: unknown = z.toJSONSchema(schema, { io: 'input', target: 'openapi-3.0' })
  const cleaned = cleanedOf(jsonOf(generated))
  if (!isJsonObject(cleaned)) throw new Error('the schema of a kind is no object')
  return cleaned
}

export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function jsonOf(value: unknown): Json {
  return JSON.parse(JSON.stringify(value))
}

function cleanedOf(node: Json): Json {
  if (Array.isArray(node)) return node.map(cleanedOf)
  if (!isJsonObject(node)) return node
  const entries = Object.entries(node)
    .filter(([key, value]) => key !== 'propertyNames' && !(isBound(key) && UNBOUNDED.includes(value)))
    // A map of any values has x-kubernetes-preserve-unknown-fields instead.
    .filter(([key, value]) => key !== 'additionalProperties' || (isJsonObject(value) && Object.keys(value).length > 0))
    .map(([key, value]): [string, Json] => [key, key === 'default' ? value : cleanedOf(value)])
  const cleaned = Object.fromEntries(entries)
  if (cleaned.anyOf !== undefined) return intOrString(cleaned)
  return isJsonObject(node.default) ? { ...cleaned, default: { ...wholeDefault(cleaned), ...node.default } } : cleaned
}

/** Makes the only alternative that a structural schema may have. The text's bounds stand beside it. */
function intOrString({ anyOf, ...rest }: JsonObject): JsonObject {
  const [integer, string] = Array.isArray(anyOf) ? anyOf.filter(isJsonObject) : []
  if (integer?.type !== 'integer' || string?.type !== 'string')
    throw new Error('the schema of a CRD can have no alternatives')
  const { type, ...bounds } = string
  return {
    ...rest,
    ...bounds,
    anyOf: [{ type: 'integer' }, { type }],
    'x-kubernetes-int-or-string': true,
    ...(integer.minimum === undefined ? {} : { minimum: integer.minimum }),
    ...(integer.maximum === undefined ? {} : { maximum: integer.maximum }),
  }
}

/** Returns the defaults of all properties: the API server judges an object's default before it fills in those below. */
function wholeDefault({ properties }: JsonObject): JsonObject {
  if (!isJsonObject(properties)) return {}
  const defaults = Object.entries(properties).flatMap(([name, property]): [string, Json][] =>
    isJsonObject(property) && property.default !== undefined ? [[name, property.default]] : [],
  )
  return Object.fromEntries(defaults)
}

function isBound(key: string): boolean {
  return key === 'minimum' || key === 'maximum'
}
